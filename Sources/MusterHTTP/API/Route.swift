internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// One operation of the API: its method and path, the checks of its input, and its response. The
/// router and the OpenAPI document use the same description.
struct Route: Sendable {
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
  let parameters: [Parameter]
  let body: Shape?
  /// Whether the body is a file, which the handler reads.
  let takesFile: Bool
  let result: Result
  /// Whether `If-Match` is evaluated.
  let takesVersion: Bool
  /// The member of the body for the user's words, which states when they acted if that was earlier.
  let datedText: String?
  let handle: @Sendable (API, Call) async throws -> Answer

  let parts: [Substring]

  init(
    _ method: Method, _ path: String, _ summary: String, parameters: [Parameter] = [],
    body: Shape? = nil, takesFile: Bool = false, result: Result, takesVersion: Bool = false,
    datedText: String? = nil,
    handle: @Sendable @escaping (API, Call) async throws -> Answer
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.parameters = parameters
    self.body = body
    self.takesFile = takesFile
    self.result = result
    self.takesVersion = takesVersion
    self.datedText = datedText
    self.handle = handle
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

extension Route {
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

/// A validated request.
struct Call: Sendable {
  let path: [String: String]
  let query: [String: JSON]
  let body: JSON
  /// The versions of `If-Match`; nil without the header.
  let versions: Set<String>?
  /// `Last-Event-ID`.
  let lastEventID: String?
  /// Keeps the connection open.
  let connection: Connection
  /// The logged-in client, if any.
  let person: Person?
  /// Scheme, name and port that the client used. Logged-in clients use TLS, all others are on this
  /// machine.
  let origin: String
  let headers: HTTPFields
  /// The body of a route that takes a file; nil for any other.
  let upload: RequestBody?
  /// Seconds since the user acted; 0 for a request that did not wait.
  let secondsAgo: Int
  /// With an idempotency key; nil without one.
  private(set) var request: IdempotentRequest?

  var id: String { path["id"] ?? "" }

  /// The version that the client saw: `_version` of delta sync, else `If-Match`; nil for neither.
  var seenVersion: SeenVersion? {
    if let count = integer("_version") ?? queryInteger("_version") { return .changes(count) }
    return versions.map(SeenVersion.hash)
  }

  /// The same request with a part of the body in place of the body.
  func with(body: JSON) -> Call {
    Call(
      path: path, query: query, body: body, versions: versions, lastEventID: lastEventID,
      connection: connection, person: person, origin: origin, headers: headers,
      upload: upload, secondsAgo: secondsAgo, request: request)
  }

  /// The same request with its idempotency key.
  func with(request: IdempotentRequest) -> Call {
    var call = self
    call.request = request
    return call
  }

  subscript(name: String) -> JSON? { body.members?[name] ?? nil }

  func text(_ name: String) -> String? { self[name]?.word }

  func flag(_ name: String) -> Bool? {
    if case .bool(let flag)? = self[name] { flag } else { nil }
  }

  func number(_ name: String) -> Double? { Self.number(self[name]) }

  func integer(_ name: String) -> Int64? { Self.integer(self[name]) }

  func queryInteger(_ name: String) -> Int64? { Self.integer(query[name]) }

  func queryNumber(_ name: String) -> Double? { Self.number(query[name]) }

  /// `lat` and `lon`, which are both present or both missing.
  var place: Coordinate? {
    guard let latitude = number("lat"), let longitude = number("lon") else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The version of delta sync, for writes without a body.
  static let seenVersion = Route.Parameter(
    name: "_version", shape: .count, isRequired: false,
    about: "Write only if the row still has this `_version` of delta sync; else 409.")

  private static func number(_ value: JSON?) -> Double? {
    if case .number(let digits)? = value { Double(digits) } else { nil }
  }

  private static func integer(_ value: JSON?) -> Int64? {
    if case .number(let digits)? = value { JSON.whole(digits) } else { nil }
  }
}
