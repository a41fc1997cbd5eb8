public import MusterCrypto
public import MusterModel

/// The certificates that count, as the control plane evaluated them: by whom a log may be.
public struct Roster: Hashable, Sendable {
  /// By hash, which is how openings and records name them.
  public private(set) var certificates: [CertificateHash: SignedCertificate]
  /// All that a certificate names.
  let devices: Set<DeviceID>
  /// Whose each is: a hash of its key, made once.
  private let deviceByCertificate: [CertificateHash: DeviceID]
  /// By the first eight bytes of their hashes: of several, the one with the lowest hash.
  private let prefixes: [UInt64: CertificateHash]
  /// Certificates that bear their issuers' signatures up to the root and do not count, by hash.
  private let others: [CertificateHash: SignedCertificate]
  /// Hashes of all certificates that are held, those that do not count too.
  let shownHashes: Set<CertificateHash>
  /// The same by the first half of each.
  private let halves: [Bytes16: CertificateHash]

  /// Devices whose standing was taken away: they are given no key.
  let revoked: Set<DeviceID>
  /// Epochs whose keys are handed to nobody yet.
  let withheld: Set<EpochID>
  /// Epochs of which a control frame says whom they shut out; nil where nobody is ever shut out. A
  /// key may come before that frame, and is handed on only after.
  let announced: Set<EpochID>?

  /// Logs and strands that do not count in full: the rest of them is quarantined. Logs of revoked
  /// devices that are not among them are quarantined from their first frame on.
  let parts: [LogID: CountedPart]

  /// The caller MUST have evaluated them: here nothing is checked, everything is believed.
  ///
  /// - Parameter others: certificates that bear their issuers' signatures up to the root, whether
  ///   they count or not.
  public init(
    _ certificates: [SignedCertificate], revoked: Set<DeviceID> = [],
    withheld: Set<EpochID> = [], announced: Set<EpochID>? = nil,
    parts: [LogID: CountedPart] = [:], others: [SignedCertificate] = []
  ) {
    self.revoked = revoked
    self.parts = parts
    self.withheld = withheld
    self.announced = announced
    self.certificates = [:]
    for certificate in certificates { self.certificates[certificate.hash] = certificate }
    var devices: [CertificateHash: DeviceID] = [:]
    for certificate in certificates { devices[certificate.hash] = certificate.certificate.device }
    deviceByCertificate = devices
    self.devices = Set(devices.values)
    self.others = Dictionary(others.map { ($0.hash, $0) }) { first, _ in first }
    shownHashes = Set(self.certificates.keys).union(self.others.keys)
    halves = Dictionary(shownHashes.map { ($0.raw.prefix, $0) }) { min($0, $1) }
    prefixes = Dictionary(self.certificates.keys.map { ($0.raw.prefix.high, $0) }) { min($0, $1) }
  }

  func device(of hash: CertificateHash) -> DeviceID? { deviceByCertificate[hash] }

  /// Nil for a certificate that is not known or does not count; also for `.root`, which is none.
  public subscript(hash: CertificateHash) -> Certificate? { certificates[hash]?.certificate }

  /// The certificate whose hash begins with these eight bytes.
  func hash(prefix: UInt64) -> CertificateHash? { prefixes[prefix] }

  /// A certificate with those of its issuers up to the root, leaf first.
  ///
  /// - Parameter key: the first half of its hash.
  func chain(of key: Bytes16) -> [SignedCertificate]? {
    guard let leaf = halves[key], var last = certificates[leaf] ?? others[leaf] else { return nil }
    var chain = [last]
    while last.certificate.issuer != .root {
      guard chain.count < Limits.certificateChain,
        let issuer = certificates[last.certificate.issuer] ?? others[last.certificate.issuer]
      else { return nil }
      chain.append(issuer)
      last = issuer
    }
    return chain
  }

  /// The key that a log opened under this certificate is signed with; nil where it does not count.
  public func signingKey(of hash: CertificateHash, rootKey: VerifyingKey) -> VerifyingKey? {
    hash == .root ? rootKey : self[hash]?.signingKey
  }
}

/// How far a log, or a strand of one, counts.
public struct CountedPart: Hashable, Sendable {
  /// The last sequence that counts, held or not; nil where none does.
  public let end: UInt64?
  /// The frame there; nil where no more is held than counts.
  public let head: Head?

  /// `head` MUST be of sequence `end`.
  public init(end: UInt64?, head: Head?) {
    self.end = end
    self.head = head
  }
}
