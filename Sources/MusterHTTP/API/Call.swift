internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// A validated request.
struct Call: Sendable {
  let path: [String: String]
  let query: [String: JSON]
  let content: RequestContent
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
  var body: JSON { content.json }

  /// When the user acted, in milliseconds by the phone's clock; nil if it is not stated.
  var actedAt: Int64? {
    let stated = HeaderName("muster-acted-at").flatMap { headers[$0] }.flatMap { Int64($0) }
    // Differences of other times would overflow.
    return stated.flatMap {
      Timestamp.writable.contains(Timestamp(milliseconds: $0)) ? $0 : nil
    }
  }

  /// The age in milliseconds of a sample of this request, by the phone's clock until it was sent;
  /// nil if the page does not state when its user acted.
  ///
  /// - Parameter time: of the sample, by the phone's clock.
  func age(ofSample time: Timestamp) -> Int64? {
    guard let actedAt else { return nil }
    return Int64(secondsAgo) * 1000 + max(0, actedAt - time.milliseconds)
  }

  /// The version that the client saw: `_version` of delta sync, else `If-Match`; nil for neither.
  var seenVersion: SeenVersion? {
    if let count = integer("_version") ?? queryInteger("_version") { return .changes(count) }
    return versions.map(SeenVersion.hash)
  }

  /// Receives the file that is the body of a route that takes one.
  ///
  /// - Parameter remedy: what to do with one that has more than `limit` bytes.
  func file(atMost limit: Int, _ remedy: String) async throws -> [UInt8] {
    guard let upload else { throw Problem.unexpected }
    connection.keepOpenForTransfer()
    let bytes: [UInt8]
    do {
      bytes = Array(buffer: try await upload.collect(upTo: limit))
    } catch is NIOTooManyBytesError {
      throw Problem(.contentTooLarge, "the file has more than \(limit >> 20) MiB: \(remedy)")
    }
    request?.add(file: bytes)
    return bytes
  }

  /// The same request with a part of the body in place of the body.
  func with(body: JSON) -> Call {
    Call(
      path: path, query: query,
      content: RequestContent(json: body, leftOut: content.leftOut), versions: versions,
      lastEventID: lastEventID, connection: connection, person: person, origin: origin,
      headers: headers,
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
  static let seenVersion = RouteDescription.Parameter(
    name: "_version", shape: .count, isRequired: false,
    about: "Write only if the row still has this `_version` of delta sync; else 409.")

  private static func number(_ value: JSON?) -> Double? {
    if case .number(let digits)? = value { Double(digits) } else { nil }
  }

  private static func integer(_ value: JSON?) -> Int64? {
    if case .number(let digits)? = value { JSON.whole(digits) } else { nil }
  }
}
