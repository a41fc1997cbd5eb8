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

  // MARK: Pieces

  /// Bytes that are sent at once: a client that reads slowly has one such piece in its socket.
  static let pieceBytes = 256 * 1024
  /// Up to this size the socket takes an answer whole.
  private static let smallBytes = 16 * 1024

  /// The bytes of a body that may wait for its client; 0 for a small one.
  var waitingBytes: Int {
    let bytes = content?.readableBytes ?? 0
    return bytes > Self.smallBytes ? bytes : 0
  }

  /// Returns the answer with its body in pieces. `holder` lives until all of it is sent, or the
  /// connection is lost; for a small body, until the answer is handed over.
  func sent(holding holder: some AnyObject & Sendable) -> Answer {
    guard let content, waitingBytes > 0 else { return self }
    var answer = self
    answer.body = ResponseBody(contentLength: content.readableBytes) { writer in
      var rest = content
      while let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes)),
        piece.readableBytes > 0
      {
        try await writer.write(piece)
      }
      try await writer.finish(nil)
      withExtendedLifetime(holder) {}
    }
    return answer
  }

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
