internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Who is certified, and which epochs were announced: a function of the set of control frames,
/// whatever the order in which they came, and of no clock.
///
/// A certificate counts when it stands in the control log of its own issuer, carries that issuer's
/// signature, and the issuer is the root or a `command` device whose own certificate counts, at
/// most `Limits.certificateChain` below the root. Certificates only ever grant. A chain by which a
/// device proved itself counts too: its issuer wrote it down before handing it out, so the control
/// log that says so comes sooner or later.
struct ControlPlane: Sendable {
  private let operation: OperationID
  private let rootKey: VerifyingKey
  private(set) var admitted: [CertificateHash: Admission] = [:]
  /// What devices proved themselves with, and no control frame has said yet.
  private(set) var proven: [SignedCertificate] = []
  /// Certificates whose issuer's own has not come yet.
  private var pending: Set<SignedCertificate> = []
  private(set) var epochs: [EpochID: EpochAnnouncement] = [:]
  /// Epochs announced by those whose certificate has not come yet.
  private var pendingEpochs: [CertificateHash: [EpochAnnouncement]] = [:]

  struct Admission: Hashable, Sendable {
    let signed: SignedCertificate
    /// Certificates between the device and the root, from 1.
    let rank: Int
  }

  /// - Parameter ownChain: what this device was admitted with. It counts from the start, since its
  ///   own writes must, though the frames that carry it may still be on their way.
  init(operation: OperationID, rootKey: VerifyingKey, ownChain: CertificateChain) {
    self.operation = operation
    self.rootKey = rootKey
    pending = Set(ownChain.certificates)
    settle()
  }

  /// Takes what a control frame says; true when the roster has changed.
  mutating func take(_ operations: [Operation], inLogOf author: CertificateHash) -> Bool {
    for operation in operations {
      switch operation {
      case .certificate(let signed) where signed.certificate.issuer == author:
        proven.removeAll { $0.hash == signed.hash }
        if admitted[signed.hash] == nil { pending.insert(signed) }
      case .epoch(let announcement): pendingEpochs[author, default: []].append(announcement)
      default: break
      }
    }
    return settle()
  }

  /// Takes a chain that a device proved itself with: two who were admitted by file, far from their
  /// admitter's control log, understand each other. True when the roster has changed.
  mutating func prove(_ chain: [SignedCertificate]) -> Bool {
    let new = chain.filter { admitted[$0.hash] == nil }
    guard !new.isEmpty, proven.count + new.count <= Limits.provenCertificates else { return false }
    proven += new
    pending.formUnion(new)
    return settle()
  }

  @discardableResult
  private mutating func settle() -> Bool {
    var hasChanged = false
    var isSettled = false
    while !isSettled {
      isSettled = true
      for signed in pending {
        guard let rank = rank(of: signed) else { continue }
        admitted[signed.hash] = Admission(signed: signed, rank: rank)
        pending.remove(signed)
        hasChanged = true
        isSettled = false
      }
    }
    for author in pendingEpochs.keys.sorted() {
      guard let role = admitted[author]?.signed.certificate.role else { continue }
      let announced = pendingEpochs.removeValue(forKey: author) ?? []
      guard role == .command else { continue }
      for announcement in announced { epochs[announcement.id] = announcement }
    }
    return hasChanged
  }

  /// Nil when the certificate does not count, or not yet.
  private func rank(of signed: SignedCertificate) -> Int? {
    let certificate = signed.certificate
    guard certificate.operation == operation else { return nil }
    if certificate.issuer == .root { return signed.isSigned(by: rootKey) ? 1 : nil }
    #if Canary
      if Canary.anybodyCertifies.isPlanted, let issuer = admitted[certificate.issuer] {
        return issuer.rank + 1
      }
    #endif
    guard let issuer = admitted[certificate.issuer],
      issuer.signed.certificate.role == .command, issuer.rank < Limits.certificateChain,
      signed.isSigned(by: issuer.signed.certificate.signingKey)
    else { return nil }
    return issuer.rank + 1
  }

  // MARK: Reading

  var roster: Roster { Roster(admitted.values.map(\.signed).sorted { $0.hash < $1.hash }) }

  func author(of certificate: CertificateHash) -> Author? {
    admitted[certificate]?.signed.certificate.author
  }

  /// The certificate of a device that holds this key, if it was admitted.
  func certificate(ofKey key: VerifyingKey) -> SignedCertificate? {
    admitted.values.map(\.signed).filter { $0.certificate.signingKey == key }
      .min { $0.hash < $1.hash }
  }

  /// Sorted by device, so that everybody lists them alike.
  var admissions: [Admission] {
    admitted.values.sorted { left, right in
      (left.signed.certificate.device, left.signed.hash)
        < (right.signed.certificate.device, right.signed.hash)
    }
  }
}
