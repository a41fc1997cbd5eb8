internal import COpenSSL
public import MusterModel
public import NIOSSL

/// The TLS identity of a listener for browsers: a certificate with the names and addresses of the
/// machine, from an authority that signed this one certificate alone.
///
/// A phone that trusts the authority accepts nothing else because of it. Its name constraints
/// permit the names of this machine only (RFC 5280 §4.2.1.10), and its key is never stored: it
/// exists until the certificate is signed. A renewal therefore needs a new authority.
public struct BrowserIdentity: Sendable, Redacted {
  /// The authority's certificate in DER, which phones install.
  public let authority: [UInt8]
  /// The listener's certificate in DER.
  let certificate: [UInt8]
  private let privateKey: [UInt8]

  /// Browsers accept at most 398 days (CA/Browser Forum, Baseline Requirements §6.3.2).
  private static let days: Int64 = 397
  /// Of these, before the creation: the clocks of phones differ.
  private static let daysBefore: Int64 = 1
  /// A certificate that ends sooner is renewed at a start.
  private static let daysLeft: Int64 = 30
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// The reason why no certificate could be created.
  public struct Fault: Error, CustomStringConvertible {
    /// One line for the terminal.
    public let description = "no certificate for browsers could be made"
  }

  /// Creates an authority and the listener's certificate, and forgets the authority's key.
  ///
  /// - Parameters:
  ///   - names: at least one.
  ///   - now: by the wall clock.
  ///   - random: returns 32 secret bytes, other ones at each call.
  public init(names: [BrowserName], now: Timestamp, random: () -> [UInt8]) throws {
    guard let signer = Self.key(random), let key = Self.key(random), let first = names.first
    else { throw Fault() }
    let mark = Hex.encode(Array(SHA256.hash(signer.publicPoint).prefix(4)))
    // X.509 permits 64 bytes (RFC 5280, ub-common-name).
    let issuer = "Muster \(first.host.prefix(40)) \(mark)"
    let validity = (
      from: Self.text(now, plus: -Self.daysBefore),
      to: Self.text(now, plus: Self.days - Self.daysBefore)
    )
    // A kind of name without any permitted name would be unrestricted.
    var constraints = names.map(\.constraint)
    if !names.contains(where: \.isDNS) { constraints.append("permitted;DNS:muster.invalid") }
    if !names.contains(where: { $0.isAddress(isIPv6: false) }) {
      constraints.append("excluded;IP:0.0.0.0/0.0.0.0")
    }
    if !names.contains(where: { $0.isAddress(isIPv6: true) }) {
      constraints.append("excluded;IP:::/::")
    }
    let root = TLSCertificate(
      TLSCertificate.Contents(
        subject: issuer, issuer: issuer, isAuthority: true, validity: validity,
        extensions: [
          (NID_key_usage, "critical,keyCertSign"), (NID_subject_key_identifier, "hash"),
          (NID_name_constraints, "critical," + constraints.joined(separator: ",")),
        ]), of: signer, signedBy: signer)
    let own = TLSCertificate(
      TLSCertificate.Contents(
        subject: "Muster", issuer: issuer, isAuthority: false, validity: validity,
        extensions: [
          (NID_key_usage, "critical,digitalSignature"),
          (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
          (NID_subject_alt_name, names.map(\.alternative).joined(separator: ",")),
        ]), of: key, signedBy: signer, issuer: root)
    guard let authority = root?.der, let certificate = own?.der, let privateKey = key.encoded
    else { throw Fault() }
    self.init(authority: authority, certificate: certificate, privateKey: privateKey)
  }

  private init(authority: [UInt8], certificate: [UInt8], privateKey: [UInt8]) {
    (self.authority, self.certificate) = (authority, certificate)
    self.privateKey = privateKey
  }

  /// The SHA-256 of the listener's certificate, in the form that browsers show.
  public var fingerprint: String { SHA256.fingerprint(of: certificate) }

  /// The SHA-256 of the authority, in the form that phones show before they install it.
  public var authorityFingerprint: String { SHA256.fingerprint(of: authority) }

  /// Returns whether the certificate has these names and is valid for another month.
  public func isUsable(for names: [BrowserName], now: Timestamp) -> Bool {
    guard let own = TLSCertificate(der: certificate) else { return false }
    let end = now.milliseconds / 1000 + Self.daysLeft * Self.millisecondsPerDay / 1000
    return own.isValid(at: now.milliseconds / 1000) && own.isValid(at: end)
      && names.allSatisfy(own.names)
  }

  /// Returns the listener's configuration.
  public func serverConfiguration() throws -> TLSConfiguration {
    try .server(chain: [certificate, authority], privateKey: privateKey)
  }

  private static func key(_ random: () -> [UInt8]) -> TLSKey? {
    for _ in 0..<8 {
      if let key = TLSKey(bytes: random()) { return key }
    }
    return nil
  }

  /// In the form of `TLSCertificate.Contents`.
  private static func text(_ now: Timestamp, plus days: Int64) -> String {
    let second = now.milliseconds / 1000 * 1000
    let moment = Timestamp(milliseconds: second + days * millisecondsPerDay)
    return moment.description.filter { $0.isNumber || $0 == "Z" }
  }
}

// MARK: Storage

extension BrowserIdentity {
  /// Three parts in DER, each after its length in four bytes: key, certificate, authority. Secret.
  public var encoded: [UInt8] {
    [privateKey, certificate, authority].flatMap { part in
      (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (24 - 8 * $0)) } + part
    }
  }

  /// Reads `encoded`; nil if it is damaged.
  public init?(encoded: [UInt8]) {
    var rest = encoded[...]
    var parts: [[UInt8]] = []
    while rest.count >= 4 {
      let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard count <= rest.count else { return nil }
      parts.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    guard parts.count == 3, rest.isEmpty else { return nil }
    self.init(authority: parts[2], certificate: parts[1], privateKey: parts[0])
    do { _ = try NIOSSLContext(configuration: serverConfiguration()) } catch { return nil }
  }
}

extension TLSCertificate {
  /// Returns whether a time, in seconds since 1970, is within the validity.
  fileprivate func isValid(at seconds: Int64) -> Bool {
    var time = time_t(seconds)
    return X509_cmp_time(X509_get0_notBefore(pointer), &time) < 0
      && X509_cmp_time(X509_get0_notAfter(pointer), &time) > 0
  }

  /// Returns whether a name is among the subject alternative names.
  fileprivate func names(_ name: BrowserName) -> Bool {
    switch name {
    case .dns(let text): X509_check_host(pointer, text, text.utf8.count, 0, nil) == 1
    case .address(let text, _): X509_check_ip_asc(pointer, text, 0) == 1
    }
  }
}

extension BrowserName {
  fileprivate var isDNS: Bool { if case .dns = self { true } else { false } }

  fileprivate func isAddress(isIPv6: Bool) -> Bool {
    if case .address(_, isIPv6) = self { true } else { false }
  }
}
