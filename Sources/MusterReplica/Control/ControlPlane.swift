internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Who is certified, who is revoked, and which epochs were announced: a function of the set of
/// control frames, whatever the order in which they came, and of no clock.
///
/// A certificate that a device proved itself with, or that a peer handed over, counts too, though
/// its issuer's control log may be out of reach. Peers reconcile these certificates, so what counts
/// is a function of the control frames and of that set, on every node.
///
/// Evaluated rank by rank, the root first (`ControlEvaluation`), anew whenever control frames have
/// said something.
struct ControlPlane: Sendable {
  private let rules: ControlEvaluation.Rules
  /// What devices proved themselves with, or peers handed over.
  private var shown = CertificateSet()
  private var logs: [LogID: ControlLog] = [:]
  /// Frames that revoke somebody, whether they count or not.
  private var heard: Set<FrameHash> = []
  /// What is known of forked logs, of all lanes.
  private var lineage = Lineage()
  private(set) var state: ControlEvaluation
  /// Frames that revocations name as the last that count, and released ones.
  private(set) var named: Set<Head> = []
  private var isStale = false
  /// How many certificates had been shown at the last evaluation.
  private var shownCount = 0
  /// Certificates whose signatures have been verified, so that each is once.
  private var signatures = VerifiedSignatures()

  /// A certified device, and how far it is from the root.
  struct Admission: Hashable, Sendable {
    let signed: SignedCertificate
    /// Certificates between the device and the root, from 1.
    let rank: Int
  }

  /// What a frame counts for.
  enum Standing: Sendable {
    /// It is this author's word.
    case author(Author)
    /// Its author was revoked before: it counts for nothing.
    case cut
    /// Its certificate does not count, or not yet.
    case unknown
  }

  /// What a control frame changed.
  struct Change: OptionSet {
    let rawValue: Int
    static let roster = Change(rawValue: 1)
    static let cuts = Change(rawValue: 2)
    /// Which epochs may be written under.
    static let epochs = Change(rawValue: 4)
    static let releases = Change(rawValue: 8)
    static let uplinks = Change(rawValue: 16)
  }

  /// - Parameter ownChain: what this device was admitted with; nil on nobody's. It counts from the
  ///   start, since its own writes must, though the frames that carry it may still be on their way.
  init(operation: OperationID, rootKey: VerifyingKey, ownChain: CertificateChain?) {
    rules = ControlEvaluation.Rules(
      operation: operation, rootKey: rootKey, ownChain: ownChain?.certificates ?? [])
    state = ControlEvaluation(
      [:], rules: rules, shown: [], heard: [], lineage: Lineage(), signatures: &signatures)
  }

  /// Adds what a control frame says; it counts after `evaluate`.
  mutating func add(_ operations: [Operation], of frame: Frame, in opening: Opening) {
    logs[frame.strand, default: ControlLog(certificate: opening.certificate)]
      .add(operations, sequence: frame.sequence, hash: frame.hash)
    for case .revocation(let revocation) in operations {
      heard.insert(frame.hash)
      named.formUnion(revocation.cuts)
    }
    for case .release(let release) in operations { named.formUnion(release.frames) }
    isStale = isStale || !operations.isEmpty
  }

  /// Adds a chain up to the root, leaf first, that a device proved itself with or a peer handed
  /// over. Returns what is new and was added: it counts after `evaluate`.
  ///
  /// - Parameter chain: the caller MUST have verified its signatures.
  mutating func add(chain: [SignedCertificate]) -> [SignedCertificate] {
    let added = shown.insert(chain: chain) { state.admitted[$0] != nil }
    if !added.isEmpty { isStale = true }
    return added
  }

  /// Takes back what a start finds in the store.
  mutating func restore(_ certificates: [SignedCertificate]) {
    shown.restore(certificates)
    isStale = true
  }

  /// Issuers of as many certificates as may be held besides those in control logs.
  var fullIssuers: Set<CertificateHash> { shown.full }

  /// Certificates that were shown, by hash.
  var shownCertificates: [SignedCertificate] { shown.sorted }

  /// Takes how strands hang together now: with a fork, what a cut leaves is another question.
  mutating func take(_ lineage: Lineage) {
    guard lineage != self.lineage else { return }
    self.lineage = lineage
    isStale = true
  }

  /// Whether it matters in which strand a frame stands: its log is forked, and somebody named it.
  func isNamed(_ frame: Frame) -> Bool {
    lineage.isForked(frame.log)
      && named.contains(Head(log: frame.log, sequence: frame.sequence, hash: frame.hash))
  }

  /// Whether strands go on from a log, or from a strand: then it grows no more.
  func isParted(_ log: LogID) -> Bool { lineage.parted.contains(log) }

  /// Whether any log that is held is forked.
  var hasForks: Bool { lineage.hasForks }

  /// Judges anew, when anything was added.
  mutating func evaluate() -> Change {
    guard isStale else { return [] }
    isStale = false
    let (before, countBefore) = (state, shownCount)
    shownCount = shown.certificates.count
    state = ControlEvaluation(
      logs, rules: rules, shown: shown.sorted, heard: heard, lineage: lineage,
      signatures: &signatures)
    var change: Change = []
    if state.admitted != before.admitted || state.withheld != before.withheld
      || state.announced != before.announced || shownCount != countBefore
    {
      change.insert(.roster)
    }
    if state.cuts != before.cuts { change.formUnion([.roster, .cuts]) }
    if state.released != before.released { change.insert(.releases) }
    if state.fitting != before.fitting { change.insert(.epochs) }
    if state.uplinks != before.uplinks { change.insert(.uplinks) }
    return change
  }

  // MARK: Reading

  var epochs: CountingEpochs { state.epochs }

  /// - Parameter parts: what counts of logs that do not in full.
  func roster(_ parts: [LogID: CountedPart]) -> Roster {
    Roster(
      state.admitted.values.map(\.signed).sorted { $0.hash < $1.hash },
      revoked: state.cuts.revoked, withheld: state.withheld,
      announced: state.announced, parts: parts, others: shown.sorted)
  }

  /// Whose word a log is; nil where its certificate does not count.
  func author(of certificate: CertificateHash) -> Author? {
    state.admitted[certificate]?.signed.certificate.author
  }

  /// What every frame counts for of the logs with an opening like this; nil where that differs from
  /// frame to frame.
  func standing(under opening: Opening) -> Standing? {
    guard let author = author(of: opening.certificate) else { return .unknown }
    #if Canary
      if Canary.ignoreCut.isPlanted { return .author(author) }
    #endif
    return state.cuts.covers(author.device) || state.cuts.loseBranches ? nil : .author(author)
  }

  /// What a frame counts for.
  func standing(of frame: Frame, opening: Opening) -> Standing {
    guard let author = author(of: opening.certificate) else { return .unknown }
    #if Canary
      if Canary.ignoreCut.isPlanted { return .author(author) }
    #endif
    if state.cuts.leave(frame.sequence, of: frame.strand, by: author.device) {
      return .author(author)
    }
    return isReleased(frame) ? .author(author) : .cut
  }

  func isReleased(_ frame: Frame) -> Bool {
    !state.released.isEmpty
      && state.released.contains(
        Head(log: frame.log, sequence: frame.sequence, hash: frame.hash))
  }

  /// Of the frames of a log up to its head, how many are past a cut.
  func framesCut(of log: LogSummary) -> UInt64 {
    guard let author = author(of: log.opening.certificate) else { return 0 }
    return state.cuts.past(log, by: author.device)
  }

  /// Whether all logs count in full.
  var countsEverything: Bool { state.cuts.revoked.isEmpty && !state.cuts.loseBranches }

  /// How far a log or a strand counts, or goes on to a frame that was released; what is beyond is
  /// quarantined. Nil where all of it counts. Control logs always do: what they say beyond a cut
  /// counts again when whoever made the cut is put out.
  func bound(of log: LogSummary) -> Cuts.Bound? {
    guard log.opening.lane != .control, let author = author(of: log.opening.certificate),
      var bound = state.cuts.bound(of: log, by: author.device)
    else { return nil }
    let released = lineage.reach(of: state.released.filter { $0.log == log.log })[log.head.log]
    if let released, released >= log.first { bound.end = max(bound.end ?? 0, released) }
    return bound
  }

  /// Of a device, its least; nil where no certificate of it counts.
  func rank(of device: DeviceID) -> Int? {
    state.admitted.values.filter { $0.signed.certificate.device == device }.map(\.rank).min()
  }

  /// Of the device that a log was opened by, if its certificate counts; 0 for the root, and behind
  /// all others where nobody knows.
  func rank(under certificate: CertificateHash) -> UInt8 {
    certificate == .root ? 0 : UInt8(clamping: state.admitted[certificate]?.rank ?? .max)
  }

  /// A certificate and those up to the root, leaf first; nil where one of them does not count.
  func chain(of leaf: SignedCertificate) -> [SignedCertificate]? {
    var chain = [leaf]
    while let last = chain.last, last.certificate.issuer != .root {
      guard chain.count < Limits.certificateChain,
        let issuer = state.admitted[last.certificate.issuer]?.signed
      else { return nil }
      chain.append(issuer)
    }
    return chain
  }

  /// Of an epoch that is made now.
  var nextEpochGeneration: UInt32 {
    let reach = state.epochs.reach
    return reach == .max ? .max : reach + 1
  }

  /// A new epoch, which excludes everybody who has been revoked; where these are more than one
  /// announcement can name, as many as it can beyond those that some epoch excludes already.
  func announcement(of id: EpochID, sealed: [SealedEpochKey]) -> EpochAnnouncement {
    let counting = Set(state.revocations.keys)
    var (base, left): (EpochID?, Set<FrameHash>) = (nil, counting)
    if counting.count > Limits.excludedRevocations {
      for id in state.epochs.ids {
        guard let epoch = state.epochs[id] else { continue }
        let excluded = state.excluded(by: epoch)
        let rest = counting.subtracting(excluded.frames)
        if excluded.isWhole, rest.count < left.count { (base, left) = (id, rest) }
      }
    }
    return EpochAnnouncement(
      id: id, generation: nextEpochGeneration, base: base,
      excludes: Array(left.sorted().prefix(Limits.excludedRevocations)), sealed: sealed)
  }

  func isRevoked(_ device: DeviceID) -> Bool { state.cuts.covers(device) }

  /// Command devices that have not been revoked, by device.
  var commanders: [SignedCertificate] {
    admissions.map(\.signed).filter {
      $0.certificate.role == .command && !isRevoked($0.certificate.device)
    }
  }

  /// What command posts show by TLS, by device.
  var uplinks: [(device: DeviceID, certificate: UplinkCertificate)] {
    state.uplinks.sorted { $0.key < $1.key }.flatMap { device, certificates in
      certificates.map { (device, $0) }
    }
  }

  /// The certificate of a device that holds this key, if it was admitted.
  func certificate(ofKey key: VerifyingKey) -> SignedCertificate? {
    state.admitted.values.map(\.signed).filter { $0.certificate.signingKey == key }
      .min { $0.hash < $1.hash }
  }

  /// Sorted by device, so that everybody lists them alike.
  var admissions: [Admission] {
    state.admitted.values.sorted { left, right in
      (left.signed.certificate.device, left.signed.hash)
        < (right.signed.certificate.device, right.signed.hash)
    }
  }
}
