internal import NIOSSL
internal import SwiftASN1
internal import X509

/// The certificates that a node takes from a command post: none of the system's, and of each key
/// the very one that was named. What such a key signs for another passes as well, since TLS does
/// not look whether a root may sign: whoever can do that has the key itself.
public struct UplinkPins: Sendable, Hashable {
  private let certificates: [[UInt8]]
  private let takesAnybody: Bool

  /// Whatever is shown. For a joiner, to whom nobody has named any yet: what is said inside proves
  /// by itself who says it, and TLS but hides it.
  static let anybody = UplinkPins(certificates: [], takesAnybody: true)

  private init(certificates: [[UInt8]], takesAnybody: Bool) {
    (self.certificates, self.takesAnybody) = (certificates, takesAnybody)
  }

  /// - Parameter named: as commanders who count have named them, in DER; what cannot be used is
  ///   left out.
  public init(named: [[UInt8]]) {
    self.init(certificates: named.filter { Self.usable($0) != nil }, takesAnybody: false)
  }

  /// Whether no command post can be told from anybody else.
  public var isEmpty: Bool { certificates.isEmpty && !takesAnybody }

  func isSuperset(of others: UplinkPins) -> Bool {
    takesAnybody
      || !others.takesAnybody && others.certificates.allSatisfy(certificates.contains)
  }

  /// A self-signed certificate that can sign no other: trusting it is trusting its key alone.
  static func usable(_ der: [UInt8]) -> Certificate? {
    do {
      let certificate = try Certificate(derEncoded: der)
      guard certificate.issuer == certificate.subject,
        certificate.publicKey.isValidSignature(certificate.signature, for: certificate),
        case .notCertificateAuthority? = try certificate.extensions.basicConstraints
      else { return nil }
      return certificate
    } catch {
      return nil
    }
  }

  /// For a client that takes these alone, by whatever name its user calls the server.
  func clientConfiguration() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if takesAnybody {
      configuration.certificateVerification = .none
    } else {
      configuration.trustRoots = .certificates(
        try certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) })
      // The certificate is the name: it is compared whole.
      configuration.certificateVerification = .noHostnameVerification
    }
    configuration.minimumTLSVersion = .tlsv13
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
