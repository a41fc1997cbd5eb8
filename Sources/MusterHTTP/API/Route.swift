internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// One thing that can be asked: how, what is checked before, what comes back. The router goes by
/// it, and so does the OpenAPI document.
struct Route: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// What comes back when all goes well.
  enum Result: Sendable {
    case json(Shape)
    /// The id of something new.
    case created
    /// Nothing but that it is done.
    case done
    /// Not JSON.
    case other(type: String)
  }

  /// A parameter of the query.
  struct Parameter: Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool
    let about: String
  }

  let method: Method
  /// With the names of what stands for something in braces.
  let path: String
  /// In a line, for the document.
  let summary: String
  let parameters: [Parameter]
  let body: Shape?
  let result: Result
  /// Whether `If-Match` is looked at.
  let takesVersion: Bool
  let handle: @Sendable (API, Call) async throws -> Answer

  let parts: [Substring]

  init(
    _ method: Method, _ path: String, _ summary: String, parameters: [Parameter] = [],
    body: Shape? = nil, result: Result, takesVersion: Bool = false,
    handle: @Sendable @escaping (API, Call) async throws -> Answer
  ) {
    self.method = method
    self.path = path
    self.summary = summary
    self.parameters = parameters
    self.body = body
    self.result = result
    self.takesVersion = takesVersion
    self.handle = handle
    parts = path.split(separator: "/")
  }

  /// What stands for the names in braces; nil for another path.
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

/// A request whose form is right.
struct Call: Sendable {
  let path: [String: String]
  let query: [String: JSON]
  let body: JSON
  /// The versions of `If-Match`; nil where there is none.
  let versions: Set<String>?
  /// `Last-Event-ID`.
  let lastEventID: String?
  /// Makes the connection last.
  let connection: Connection
  /// Who asks, where they have logged in.
  let person: Person?

  var id: String { path["id"] ?? "" }

  /// The same with a part of the body in its place.
  func with(body: JSON) -> Call {
    Call(
      path: path, query: query, body: body, versions: versions, lastEventID: lastEventID,
      connection: connection, person: person)
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

  /// `lat` and `lon`, which are there together or not at all.
  var place: Coordinate? {
    guard let latitude = number("lat"), let longitude = number("lon") else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func number(_ value: JSON?) -> Double? {
    if case .number(let digits)? = value { Double(digits) } else { nil }
  }

  private static func integer(_ value: JSON?) -> Int64? {
    if case .number(let digits)? = value { JSON.whole(digits) } else { nil }
  }
}
