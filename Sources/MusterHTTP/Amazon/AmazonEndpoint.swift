internal import Hummingbird
public import Logging
public import MusterAmazon
internal import MusterNode
internal import NIOCore

/// Passes requests for services of Amazon from a listener to them.
///
/// Signed requests may come with any `Host`, since the signature covers it. A web page cannot sign.
public struct AmazonEndpoint: Sendable {
  private static let bodyBytes = RequestLimits.bodyBytes
  private let services: AmazonServices
  /// Whether programs on this machine may send unsigned requests.
  private let allowsUnsigned: Bool
  let audit: AuditLog
  private let bodies = BodyPlaces()

  /// - Parameters:
  ///   - home: the node's folder, with the audit log.
  ///   - allowsUnsigned: whether programs on this machine need no access key.
  public init(services: AmazonServices, home: String, allowsUnsigned: Bool, logger: Logger) {
    self.services = services
    self.allowsUnsigned = allowsUnsigned
    audit = AuditLog(in: home, logger: logger)
  }

  /// The devices that programs registered for notices of Cognito Sync.
  var devices: SyncDevices { services.devices }

  /// Whether a request is one for a service.
  static func owns(_ request: Request) -> Bool { AmazonServices.owns(request.uri.path) }

  /// - Parameters:
  ///   - client: the address of the client.
  ///   - isProgramHere: whether it is certainly a program on this machine, and no web page.
  func respond(to request: Request, from client: String, isProgramHere: Bool) async -> Response {
    var headers = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
    if let host = request.head.authority { headers.append(("host", host)) }
    let mayBeUnsigned = allowsUnsigned && isProgramHere
    func parts(_ body: [UInt8]) -> AmazonRequest {
      AmazonRequest(
        method: request.method.rawValue, path: request.uri.path, query: request.uri.query ?? "",
        headers: headers, body: body)
    }
    let sender: String
    switch services.admission(of: parts([]), mayBeUnsigned: mayBeUnsigned) {
    case .receive(let named): sender = named
    case .refuse(let refusal): return Self.response(refusal)
    }
    guard bodies.enter(sender) else {
      return Self.response(AmazonServices.tooMany(request.uri.path))
    }
    defer { bodies.leave(sender) }
    let body: [UInt8]
    do {
      body = Array(buffer: try await request.body.collect(upTo: Self.bodyBytes))
    } catch {
      return Self.response(
        AmazonServices.tooLarge(request.uri.path, most: Self.bodyBytes))
    }
    let answer = await services.answer(
      parts(body), mayBeUnsigned: mayBeUnsigned, now: SystemClock.wall)
    if let entry = answer.audit {
      audit.record(entry.what, by: entry.name, from: client, status: answer.status)
    }
    return Self.response(answer)
  }

  private static func response(_ response: AmazonResponse) -> Response {
    var answer = Answer(
      HTTPResponse.Status(code: response.status), text: response.body, type: "application/json")
    for (name, value) in response.headers {
      if let name = HTTPFields.Element.Name(name) { answer.headers[name] = value }
    }
    return answer.response
  }
}
