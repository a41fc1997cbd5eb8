public import MusterCrypto
public import MusterModel

/// The valid certificates according to the control plane: they decide whose logs are accepted.
public struct Roster: Hashable, Sendable {
  /// By hash, as openings and records refer to them.
  public private(set) var certificates: [CertificateHash: SignedCertificate]
  /// All devices with a valid certificate.
  private(set) var devices: Set<DeviceID>
  /// The device of each certificate. A device id is a hash of its key, computed once.
  private var deviceByCertificate: [CertificateHash: DeviceID]
  /// Certificates with valid signatures up to the root that are not in force, by hash.
  private var others: [CertificateHash: SignedCertificate]
  /// Hashes of all stored certificates, including those not in force.
  private(set) var shownHashes: Set<CertificateHash>
  /// Hashes by their first bytes; of several, the lowest.
  private var abbreviations = Abbreviations()

  private struct Abbreviations: Hashable, Sendable {
    /// Certificates in force, by eight bytes.
    var prefixes: [UInt64: CertificateHash] = [:]
    /// All stored certificates, by the first half.
    var halves: [Bytes16: CertificateHash] = [:]
  }

  /// Revoked devices: they receive no keys.
  private(set) var revoked: Set<DeviceID>
  /// Epochs whose keys are not distributed yet.
  private(set) var withheld: Set<EpochID>
  /// Epochs whose control frame, which names the excluded devices, is known; nil if no device is
  /// ever excluded. A key may arrive before that frame, and is forwarded only after it.
  private(set) var announced: Set<EpochID>?

  /// Logs and strands that are accepted in part: the rest is quarantined. Logs of revoked devices
  /// that are not listed are quarantined completely.
  let parts: [LogID: CountedPart]
  /// The same for control logs.
  let control: ControlParts
  /// Logs with more branches than count, and their strands. What does not count of them is not
  /// reconciled.
  let overforked: Set<LogID>

  /// Creates a roster. The caller MUST have verified the certificates: this initializer checks
  /// nothing.
  ///
  /// - Parameter others: certificates with valid signatures up to the root, in force or not.
  public init(
    _ certificates: [SignedCertificate], revoked: Set<DeviceID> = [],
    withheld: Set<EpochID> = [], announced: Set<EpochID>? = nil,
    parts: [LogID: CountedPart] = [:], control: ControlParts = ControlParts(),
    overforked: Set<LogID> = [], others: [SignedCertificate] = []
  ) {
    self.control = control
    self.overforked = overforked
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
    abbreviations.halves = Dictionary(shownHashes.map { ($0.raw.prefix, $0) }) { min($0, $1) }
    abbreviations.prefixes = Dictionary(
      self.certificates.keys.map { ($0.raw.prefix.high, $0) }
    ) { min($0, $1) }
  }

  /// Adds what came of a few control frames, without looking at the rest.
  package mutating func grow(by growth: RosterGrowth) {
    for signed in growth.certificates {
      certificates[signed.hash] = signed
      devices.insert(signed.certificate.device)
      deviceByCertificate[signed.hash] = signed.certificate.device
      let prefix = signed.hash.raw.prefix.high
      abbreviations.prefixes[prefix] = min(
        abbreviations.prefixes[prefix] ?? signed.hash, signed.hash)
    }
    for signed in growth.others where others[signed.hash] == nil { others[signed.hash] = signed }
    for signed in growth.certificates + growth.others {
      shownHashes.insert(signed.hash)
      let half = signed.hash.raw.prefix
      abbreviations.halves[half] = min(abbreviations.halves[half] ?? signed.hash, signed.hash)
    }
    revoked.formUnion(growth.revoked)
    for (epoch, isWithheld) in growth.epochs {
      announced?.insert(epoch)
      if isWithheld { withheld.insert(epoch) } else { withheld.remove(epoch) }
    }
  }

  func device(of hash: CertificateHash) -> DeviceID? { deviceByCertificate[hash] }

  /// Returns nil for a certificate that is unknown or not in force; also for `.root`, which is no
  /// certificate.
  public subscript(hash: CertificateHash) -> Certificate? { certificates[hash]?.certificate }

  /// Returns the hash of the certificate that begins with these eight bytes.
  func hash(prefix: UInt64) -> CertificateHash? { abbreviations.prefixes[prefix] }

  /// Returns a certificate and its issuers up to the root, leaf first.
  ///
  /// - Parameter key: the first half of its hash.
  func chain(of key: Bytes16) -> [SignedCertificate]? {
    guard let leaf = abbreviations.halves[key], var last = certificates[leaf] ?? others[leaf] else {
      return nil
    }
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

  /// Returns the key that verifies a log opened under this certificate; nil if it is not in force.
  public func signingKey(of hash: CertificateHash, rootKey: VerifyingKey) -> VerifyingKey? {
    hash == .root ? rootKey : self[hash]?.signingKey
  }
}

/// What a roster has more than before, where nothing else about it changed.
public struct RosterGrowth: Hashable, Sendable {
  /// They count.
  public var certificates: [SignedCertificate]
  /// They bear their issuers' signatures up to the root, whether they count or not.
  public var others: [SignedCertificate]
  /// Devices of which no certificate counted so far.
  public var revoked: [DeviceID]
  /// Announced epochs, and whether their keys must not be handed out yet.
  public var epochs: [EpochID: Bool]

  /// Empty by default.
  public init(
    certificates: [SignedCertificate] = [], others: [SignedCertificate] = [],
    revoked: [DeviceID] = [], epochs: [EpochID: Bool] = [:]
  ) {
    self.certificates = certificates
    self.others = others
    self.revoked = revoked
    self.epochs = epochs
  }

  /// Whether there is nothing more.
  public var isEmpty: Bool {
    certificates.isEmpty && others.isEmpty && revoked.isEmpty && epochs.isEmpty
  }
}

/// How much of control logs is input to the rules. That may be more than counts: what a commander
/// wrote past the cut of an equal is.
public struct ControlParts: Hashable, Sendable {
  /// Certificates whose control logs are accepted in part, or not at all where they are not in
  /// `parts`.
  public var certificates: Set<CertificateHash>
  /// By log or strand.
  public var parts: [LogID: CountedPart]

  /// Everything is accepted by default.
  public init(certificates: Set<CertificateHash> = [], parts: [LogID: CountedPart] = [:]) {
    self.certificates = certificates
    self.parts = parts
  }

  func concerns(_ log: LogID, of certificate: CertificateHash) -> Bool {
    parts[log] != nil || certificates.contains(certificate)
  }
}

/// How much of a log or strand is accepted.
public struct CountedPart: Hashable, Sendable {
  /// The last accepted sequence, stored or not; nil if none is.
  public let end: UInt64?
  /// The frame at `end`; nil if it is not stored.
  public let head: Head?

  /// Creates a value. `head` MUST have the sequence `end`.
  public init(end: UInt64?, head: Head?) {
    self.end = end
    self.head = head
  }

  /// Nothing is accepted.
  public static let nothing = CountedPart(end: nil, head: nil)
}
