internal import Hummingbird
internal import NIOCore

/// What a phone needs before its user logs in: instructions, and the certificate to trust.
enum JoinPage {
  private static let path = "/join"
  private static let certificatePath = "/join/authority.crt"

  /// In the browser's language.
  case instructions(language: String)
  case certificate([UInt8])

  /// Whether a request is for the page or for something below it.
  static func owns(_ request: Request) -> Bool {
    request.uri.path == path || request.uri.path.hasPrefix("\(path)/")
  }

  /// Whether there is something at the path of a request.
  static func isServed(_ request: Request) -> Bool {
    [path, certificatePath].contains(request.uri.path)
  }

  /// Returns nil for any other request.
  init?(_ request: Request, authority: [UInt8]?) throws(Problem) {
    let path = request.uri.path
    guard path == Self.path || path == Self.certificatePath else { return nil }
    guard request.isRead else {
      throw Problem(.methodNotAllowed, "only GET, HEAD", allowed: ["GET", "HEAD"])
    }
    guard path == Self.certificatePath else {
      self = .instructions(language: Dashboard.language(of: request))
      return
    }
    guard let authority else { throw Problem(.notFound, "this node has no such certificate") }
    self = .certificate(authority)
  }

  func answer(_ dashboard: Dashboard) -> Response {
    switch self {
    case .instructions(let language): dashboard.page(dashboard.localized("join", in: language))
    case .certificate(let der):
      // iOS and Android offer to install a certificate of this type.
      Response(
        status: .ok,
        headers: [
          .contentType: "application/x-x509-ca-cert", .cacheControl: "no-store",
          .xContentTypeOptions: "nosniff",
          .contentDisposition: "attachment; filename=\"muster.crt\"",
        ], body: .init(byteBuffer: ByteBuffer(bytes: der)))
    }
  }
}
