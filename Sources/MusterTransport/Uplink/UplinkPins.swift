internal import NIOSSL

/// The certificates that a node accepts from command posts: none of the system's, and for each key
/// exactly the named one (pinning). A certificate that such a key signed for another key is
/// accepted too, since TLS does not check whether a root may sign. That requires the key itself.
public struct UplinkPins: Sendable, Hashable {
  private let certificates: [[UInt8]]
  private let takesAnybody: Bool

  /// Accepts any certificate. For a joiner, which knows no pins yet: the handshake inside
  /// authenticates the peer, and TLS only hides it.
  static let anybody = UplinkPins(certificates: [], takesAnybody: true)

  private init(certificates: [[UInt8]], takesAnybody: Bool) {
    (self.certificates, self.takesAnybody) = (certificates, takesAnybody)
  }

  /// Creates pins.
  ///
  /// - Parameter named: the certificates that authorized commanders named, in DER. Unusable ones
  ///   are left out.
  public init(named: [[UInt8]]) {
    self.init(certificates: named.filter { Self.usable($0) != nil }, takesAnybody: false)
  }

  /// Whether no command post can be authenticated.
  public var isEmpty: Bool { certificates.isEmpty && !takesAnybody }

  func isSuperset(of others: UplinkPins) -> Bool {
    takesAnybody
      || !others.takesAnybody && others.certificates.allSatisfy(certificates.contains)
  }

  /// Returns a self-signed certificate that cannot sign another, and that the library of the TLS
  /// connections accepts too: trusting it is trusting its key alone.
  static func usable(_ der: [UInt8]) -> TLSCertificate? {
    guard let certificate = TLSCertificate(der: der), certificate.isSelfSigned,
      certificate.isAuthority == false
    else { return nil }
    do {
      _ = try NIOSSLCertificate(bytes: der, format: .der)
      return certificate
    } catch {
      return nil
    }
  }

  /// Returns a client configuration that accepts only these certificates, under any host name.
  func clientConfiguration() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if takesAnybody {
      configuration.certificateVerification = .none
    } else {
      configuration.trustRoots = .certificates(
        try certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) })
      // The certificate is compared whole, which replaces the host name check.
      configuration.certificateVerification = .noHostnameVerification
    }
    configuration.minimumTLSVersion = .tlsv13
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
