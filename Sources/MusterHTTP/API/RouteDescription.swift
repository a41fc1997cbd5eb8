internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// What one operation of an API accepts and returns: its method and path, the checks of its input,
/// and its response. The router and the OpenAPI document use the same description.
struct RouteDescription: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// The response on success.
  enum Result: Sendable {
    case json(Shape)
    /// A new thing, in whole; Location contains its path.
    case added(Shape)
    /// The id of a new row.
    case created
    /// No content.
    case done
    /// A response that is not JSON.
    case other(type: String)
    /// A file, of which a client may request a range of bytes.
    case file(type: String)
  }

  /// A query parameter.
  struct Parameter: Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool
    let about: String
  }

  let method: Method
  /// With the names of its variable parts in braces.
  let path: String
  /// One line for the OpenAPI document.
  let summary: String
  let rights: RouteRights
  let parameters: [Parameter]
  let body: Shape?
  /// Whether the body is a file, which the handler reads.
  let takesFile: Bool
  let result: Result
  /// Whether `If-Match` is evaluated.
  let takesVersion: Bool
  /// The member of the body for the user's words, which states when they acted if that was earlier.
  let datedText: String?
  /// Whether a request is used as far as it can be (`RequestContent`), as that of a person in
  /// danger.
  let salvages: Bool

  let parts: [Substring]

  init(
    _ method: Method, _ path: String, _ summary: String, rights: RouteRights,
    parameters: [Parameter] = [], body: Shape? = nil, takesFile: Bool = false, result: Result,
    takesVersion: Bool = false,
    datedText: String? = nil, salvages: Bool = false
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.rights = rights
    self.parameters = parameters
    self.body = body
    self.takesFile = takesFile
    self.result = result
    self.takesVersion = takesVersion
    self.datedText = datedText
    self.salvages = salvages
    parts = path.split(separator: "/")
  }

  /// Returns the values of the names in braces; nil for another path.
  func match(_ path: [String]) -> [String: String]? {
    guard path.count == parts.count else { return nil }
    var values: [String: String] = [:]
    for (part, given) in zip(parts, path) {
      if part.hasPrefix("{") {
        values[String(part.dropFirst().dropLast())] = given
      } else if part != given {
        return nil
      }
    }
    return values
  }
}

extension RouteDescription {
  /// The header with the seconds since the user acted.
  static let ageHeader = "muster-seconds-ago"
  /// Below it, a request counts as sent when the user acted.
  private static let leastAge = 60

  /// Adds to the user's words when they acted, if the request waited to be sent. Words that would
  /// be too long with it stay as they are.
  func dated(_ body: JSON, secondsAgo: Int) -> JSON {
    guard let name = datedText, let shape = self.body, secondsAgo >= Self.leastAge,
      case .object(var members) = body
    else { return body }
    let moment = Timestamp(
      milliseconds: (SystemClock.wall.milliseconds - Int64(secondsAgo) * 1000) / 60_000 * 60_000)
    let stated = "[\(moment)]"
    let words = members[name]?.word ?? ""
    members[name] = .string(words.isEmpty ? stated : "\(words) \(stated)")
    do {
      try shape.check(.object(members), at: "")
      return .object(members)
    } catch {
      return body
    }
  }
}
