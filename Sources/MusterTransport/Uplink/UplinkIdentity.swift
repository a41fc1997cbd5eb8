public import MusterModel
public import NIOSSL

/// The TLS identity of a command post: a self-signed P-256 certificate, which field nodes know from
/// the operation's control log and compare byte for byte. Its name therefore carries no meaning,
/// and its validity is as long as X.509 permits: it must not depend on any device's clock.
public struct UplinkIdentity: Sendable, Redacted {
  /// The certificate as named in the control log.
  public let certificate: [UInt8]
  let privateKey: [UInt8]

  /// The reason why no certificate could be created or used.
  public struct Fault: Error, CustomStringConvertible {
    /// One line for the terminal.
    public let description: String
  }

  /// Creates the identity of a key, with the certificate that was named for it before, or a new
  /// one.
  ///
  /// - Parameters:
  ///   - seed: the private key, 32 bytes. If they are not a key of the curve (one in 2^32), it is
  ///     called with the next attempt.
  ///   - named: certificates that this device has named, in DER.
  public init(seed: (_ attempt: UInt8) -> [UInt8], named: [[UInt8]]) throws {
    let key = try Self.key(seed)
    let known = named.first { UplinkPins.usable($0)?.isFor(key) == true }
    guard let certificate = known ?? Self.selfSigned(by: key), let encoded = key.encoded else {
      throw Fault(description: "no certificate for the uplink could be made")
    }
    self.certificate = certificate
    privateKey = encoded
  }

  /// The SHA-256 of the certificate, in the form that browsers and `openssl x509` show.
  public var fingerprint: String {
    SHA256.fingerprint(of: certificate)
  }

  private static func key(_ seed: (UInt8) -> [UInt8]) throws -> TLSKey {
    for attempt in UInt8(0)..<8 {
      if let key = TLSKey(bytes: seed(attempt)) { return key }
    }
    throw Fault(description: "no key for the uplink could be made")
  }

  private static func selfSigned(by key: TLSKey) -> [UInt8]? {
    // A unique name: of several trusted certificates with one name, TLS examines only the first.
    let mark = SHA256.hash(key.publicPoint).prefix(8)
    let name = "muster command post \(Hex.encode(Array(mark)))"
    // Until the end of the year 9999, which X.509 defines as "never" (RFC 5280 §4.1.2.5).
    let contents = TLSCertificate.Contents(
      subject: name, issuer: name, isAuthority: false,
      validity: (from: "19700101000000Z", to: "99991231235959Z"))
    return TLSCertificate(contents, of: key, signedBy: key)?.der
  }

  /// Returns the listener's configuration: TLS 1.2 or newer, with AEAD ciphers only (no CBC).
  public func serverConfiguration() throws -> TLSConfiguration {
    try .server(chain: [certificate], privateKey: privateKey)
  }
}
