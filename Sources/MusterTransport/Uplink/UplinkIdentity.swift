internal import Crypto
internal import Foundation
internal import MusterModel
public import NIOSSL
internal import SwiftASN1
internal import X509

/// The TLS identity of a command post: a self-signed P-256 certificate, which field nodes know from
/// the operation's control log and compare byte for byte. Its name therefore carries no meaning,
/// and its validity is as long as X.509 permits: it must not depend on any device's clock.
public struct UplinkIdentity: Sendable {
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
    let known = named.first { der in
      UplinkPins.usable(der)?.publicKey == Certificate.PublicKey(key.publicKey)
    }
    certificate = try known ?? Self.selfSigned(by: key)
    privateKey = Array(key.derRepresentation)
  }

  /// The SHA-256 of the certificate, in the form that browsers and `openssl x509` show.
  public var fingerprint: String {
    SHA256.hash(data: certificate).map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
  }

  private static func key(_ seed: (UInt8) -> [UInt8]) throws -> P256.Signing.PrivateKey {
    for attempt in UInt8(0)..<8 {
      do {
        return try P256.Signing.PrivateKey(rawRepresentation: seed(attempt))
      } catch {
        continue
      }
    }
    throw Fault(description: "no key for the uplink could be made")
  }

  /// The end of the year 9999, which X.509 defines as "never" (RFC 5280 §4.1.2.5).
  private static let lastDate = Date(timeIntervalSince1970: 253_402_300_799)

  /// Creates the certificate without a key usage: with one, TLS would accept a self-signed
  /// certificate only if it permits signing itself.
  private static func selfSigned(by key: P256.Signing.PrivateKey) throws -> [UInt8] {
    // A unique name: of several trusted certificates with one name, TLS examines only the first.
    let mark = SHA256.hash(data: key.publicKey.x963Representation).prefix(8)
    let name = try DistinguishedName { CommonName("muster command post \(Hex.encode(mark))") }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(),
      publicKey: Certificate.PublicKey(key.publicKey),
      notValidBefore: Date(timeIntervalSince1970: 0), notValidAfter: Self.lastDate, issuer: name,
      subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        try ExtendedKeyUsage([.serverAuth])
      },
      issuerPrivateKey: Certificate.PrivateKey(key))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }

  /// Returns the listener's configuration: TLS 1.2 or newer, with AEAD ciphers only (no CBC).
  public func serverConfiguration() throws -> TLSConfiguration {
    let chain = try NIOSSLCertificate(bytes: certificate, format: .der)
    let key = try NIOSSLPrivateKey(bytes: privateKey, format: .der)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(chain)], privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues = [
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    ]
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
