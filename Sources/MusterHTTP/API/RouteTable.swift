internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// The routes of an API. Finds that of a request, and reads the request by it once the rights of
/// the route admit its client.
///
///     request ─▶ path ─▶ method ─▶ rights ─▶ query ─▶ body ─▶ call
///                404      405       401, 403   400      400, 413, 415
struct RouteTable<Service: Sendable>: Sendable {
  let routes: [ServiceRoute<Service>]

  static var openAPI: String { "/openapi.json" }

  /// - Parameters:
  ///   - about: what the API is for, for the OpenAPI document.
  ///   - rights: those of the OpenAPI document.
  init(_ routes: [ServiceRoute<Service>], about: String, documentRights rights: RouteRights) {
    let document = ByteBuffer(
      string: OpenAPI.document(of: routes.map(\.description), about: about).text)
    self.routes =
      routes + [
        ServiceRoute(
          .get, Self.openAPI, "Describe this API", rights: rights,
          result: .other(type: "application/json")
        ) { _, _ in Answer(.ok, bytes: document, type: "application/json") }
      ]
  }

  /// Throws a problem if the request fits no route.
  func find(_ request: Request) throws(Problem) -> RouteMatch<Service> {
    guard request.uri.string.utf8.count <= RequestLimits.addressBytes else {
      throw Problem(.uriTooLong, "an address has at most \(RequestLimits.addressBytes) bytes")
    }
    let path = try Self.segments(request.uri.path)
    let matching = routes.compactMap { route in
      route.description.match(path).map { RouteMatch(route: route, path: $0) }
    }
    guard !matching.isEmpty else {
      throw Problem(.notFound, "there is nothing at \(request.uri.path.prefix(200))")
    }
    guard let match = matching.first(where: { $0.route.answers(request.method) }) else {
      let allowed = matching.flatMap(\.route.methods)
      throw Problem(
        .methodNotAllowed, "only \(allowed.joined(separator: ", "))", allowed: allowed)
    }
    return match
  }

  /// Reads an admitted request. Returns it, and the text of its body. Throws a problem if its form
  /// is wrong.
  ///
  /// - Parameters:
  ///   - person: the logged-in client, if any.
  ///   - isSecure: whether the client uses TLS.
  func call(
    _ request: Request, _ admitted: AdmittedRequest<Service>, connection: Connection,
    person: Person? = nil, isSecure: Bool
  ) async throws -> (Call, text: String) {
    let description = admitted.match.route.description
    let age = try Self.age(of: request, for: description)
    let (content, text) = try await Self.content(of: request, for: description)
    let call = Call(
      path: admitted.match.path,
      query: description.salvages ? [:] : try Self.query(request.uri.query ?? "", of: description),
      content: RequestContent(
        json: description.dated(content.json, secondsAgo: age), leftOut: content.leftOut),
      versions: description.takesVersion ? Self.versions(request.headers[.ifMatch]) : nil,
      lastEventID: request.value(of: "last-event-id"), connection: connection, person: person,
      origin: (isSecure ? "https" : "http") + "://" + (request.head.authority ?? "localhost"),
      headers: request.headers, upload: description.takesFile ? request.body : nil,
      secondsAgo: age)
    return (call, text)
  }

  // MARK: Reading

  /// The seconds since the user acted, which a page states that could not send at once.
  private static func age(
    of request: Request, for route: RouteDescription
  ) throws(Problem) -> Int {
    guard let text = request.value(of: RouteDescription.ageHeader) else { return 0 }
    let span = 0...Int(Limits.spanSeconds)
    if let seconds = Int(text), span.contains(seconds) { return seconds }
    guard route.salvages else {
      throw Problem(
        .badRequest, "seconds from 0 to \(Limits.spanSeconds)", at: RouteDescription.ageHeader)
    }
    guard let seconds = Double(text), !seconds.isNaN else { return 0 }
    return Int(min(max(seconds, 0), Double(span.upperBound)))
  }

  private static func segments(_ path: String) throws(Problem) -> [String] {
    var segments: [String] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let segment = String(part).removingPercentEncoding, !segment.isEmpty else {
        throw Problem(.notFound, "there is nothing at \(path.prefix(200))")
      }
      segments.append(segment)
    }
    return segments
  }

  private static func query(
    _ text: String, of route: RouteDescription
  ) throws(Problem) -> [String: JSON] {
    var values: [String: JSON] = [:]
    for pair in text.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : "")
      else { throw Problem(.badRequest, "the query is not in percent-encoded UTF-8") }
      guard let parameter = route.parameters.first(where: { $0.name == name }) else {
        throw Problem(.badRequest, "there is no parameter \(name.prefix(40)) here", at: name)
      }
      guard values[name] == nil else {
        throw Problem(.badRequest, "the parameter occurs twice", at: name)
      }
      let json = typed(value, as: parameter.shape)
      try parameter.shape.check(json, at: name)
      values[name] = parameter.shape.clamped(json)
    }
    if let missing = route.parameters.first(where: { $0.isRequired && values[$0.name] == nil }) {
      throw Problem(.badRequest, "the parameter is missing", at: missing.name)
    }
    return values
  }

  private static func decoded(_ text: Substring) -> String? {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }

  /// Query parameters are text; a number in JSON syntax is converted if the shape requires one.
  private static func typed(_ text: String, as shape: Shape) -> JSON {
    switch shape {
    case .integer, .limit, .number:
      guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), Double(text) != nil
      else { return .string(text) }
      return .number(text)
    case .flag where text == "true" || text == "false": return .bool(text == "true")
    default: return .string(text)
    }
  }

  /// Returns the validated body, and its text.
  private static func content(
    of request: Request, for route: RouteDescription
  ) async throws -> (RequestContent, text: String) {
    guard let shape = route.body else { return (RequestContent(json: .null), "") }
    let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" }
      .trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/json" else {
      throw Problem(.unsupportedMediaType, "send application/json, not '\(type.prefix(60))'")
    }
    let bytes: [UInt8]
    do {
      bytes = Array(buffer: try await request.body.collect(upTo: route.rights.bodyBytes))
    } catch is NIOTooManyBytesError {
      throw Problem(.contentTooLarge, "a body has at most \(route.rights.bodyBytes) bytes here")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let content =
      route.salvages
      ? try RequestContent(salvaging: bytes, as: shape) : try RequestContent(bytes)
    try shape.check(content.json, at: "")
    return (content, text)
  }

  /// Accepts strong versions only: a weak one never matches (RFC 9110), and neither does invalid
  /// text.
  private static func versions(_ header: String?) -> Set<String>? {
    guard let header else { return nil }
    let words = header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if words == ["*"] { return nil }
    let versions = words.filter { $0.count > 2 && $0.hasPrefix("\"") && $0.hasSuffix("\"") }
    return Set(versions.map { String($0.dropFirst().dropLast()) })
  }
}

/// The sizes of requests.
enum RequestLimits {
  /// The largest body is a fence's outline.
  static let bodyBytes = 1024 * 1024
  /// A body of texts: each byte of the longest may be escaped by six.
  static let textBytes = 8 * Limits.paragraphBytes
  /// A file with zones, whose parsing takes several times as much memory.
  static let zoneFileBytes = 8 << 20
  /// The file of a photo.
  static let photoBytes = ImageIntake.mostBytes
  /// A report of a tracker app.
  static let phoneBytes = PhoneMessages.longestBytes
  /// The limit of the path and the query.
  static let addressBytes = 4096
}

extension Response {
  /// Returns the response without its body if the request is HEAD.
  func fitting(_ request: Request) -> Response {
    request.method == .head ? createHeadResponse() : self
  }
}

extension Request {
  /// Whether it is GET or HEAD.
  var isRead: Bool { [.get, .head].contains(method) }

  /// Returns the first header of that name, which MUST be in lower case.
  func value(of name: String) -> String? {
    headers.first { $0.name.canonicalName == name }?.value
  }
}
