internal import Hummingbird
internal import MusterInterchange
internal import NIOCore

/// The response of a route.
struct Answer: Sendable {
  var status: HTTPResponse.Status
  var headers: HTTPFields
  var body: ResponseBody
  /// The bytes of the body; nil for a stream.
  let content: ByteBuffer?

  init(_ status: HTTPResponse.Status, _ json: JSON, type: String = "application/json") {
    self.init(status, text: json.text, type: type)
  }

  init(_ status: HTTPResponse.Status, text: String, type: String) {
    self.init(status, bytes: ByteBuffer(string: text), type: type)
  }

  init(_ status: HTTPResponse.Status, bytes: ByteBuffer, type: String) {
    self.status = status
    headers = [.contentType: type]
    body = ResponseBody(byteBuffer: bytes)
    content = bytes
  }

  /// A response without a body.
  init(_ status: HTTPResponse.Status) {
    self.status = status
    headers = [:]
    body = ResponseBody()
    content = ByteBuffer()
  }

  /// A response with an endless or long stream.
  init(
    streaming type: String,
    _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
  ) {
    status = .ok
    headers = [.contentType: type]
    body = ResponseBody(write)
    content = nil
  }

  static func ok(_ json: JSON) -> Answer { Answer(.ok, json) }

  /// A response with the id and the location of a new row.
  static func created(_ id: String, below path: String) -> Answer {
    var answer = Answer(.created, JSON.object(["id": .string(id)]))
    answer.headers[.location] = "\(path)/\(id)"
    return answer
  }

  /// Adds the security headers of every response: no scripts, no frames, no content sniffing, and
  /// no caching unless the response sets it.
  var response: Response {
    var headers = headers
    headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.cacheControl] = headers[.cacheControl] ?? "no-store"
    headers[.referrerPolicy] = "no-referrer"
    headers[.crossOriginResourcePolicy] = "same-origin"
    return Response(status: status, headers: headers, body: body)
  }
}

typealias HeaderName = HTTPFields.Element.Name

extension HeaderName {
  static let referrerPolicy = known("referrer-policy")
  static let crossOriginResourcePolicy = known("cross-origin-resource-policy")
  static let serviceWorkerAllowed = known("service-worker-allowed")
  static let xAccelBuffering = known("x-accel-buffering")

  private static func known(_ name: String) -> HeaderName {
    guard let name = HeaderName(name) else { preconditionFailure("\(name) is not a header name") }
    return name
  }
}
