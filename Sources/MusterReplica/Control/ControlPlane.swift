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
/// Evaluated rank by rank, the root first (`ControlEvaluation`). What a frame more adds is added by
/// itself where it decides nothing about others, so that its cost does not grow with what is held.
struct ControlPlane: Sendable {
  private let rules: ControlEvaluation.Rules
  private(set) var evidence = ControlEvaluation.Evidence()
  private(set) var state: ControlEvaluation
  private(set) var ledger = EpochLedger()
  /// How many of the epochs of each log are in the ledger.
  private var filedEpochs: [LogID: Int] = [:]
  /// Frames that cuts or releases name; nil after a change.
  private var knownNamed: Set<Head>?
  /// What was added and not evaluated.
  private var pending: [PendingStatement] = []
  private var pendingShown: [SignedCertificate] = []
  private var isStale = false
  /// How often everything was evaluated, for tests.
  private(set) var completeEvaluations = 0
  /// Of the outcome; nil after a change.
  private var knownOutcome: Bytes32?
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

  /// What control frames and certificates changed.
  struct Change: Sendable {
    /// Whether certificates, or what counts of logs, may differ by more than what is named here.
    var isRosterNew = false
    /// What the roster has more than before.
    var growth = RosterGrowth()
    var haveCutsChanged = false
    /// Sequences of logs and strands that count no more, by a proof of too many branches.
    var narrowed: [LogID: ClosedRange<UInt64>] = [:]
    /// Certificates that counted and do not, or that count again.
    var changedCertificates: Set<CertificateHash> = []
    var haveReleasesChanged = false
    var haveUplinksChanged = false
    /// Whether another epoch may be the one to write under.
    var haveEpochsChanged = false

    var isEmpty: Bool {
      !isRosterNew && growth.isEmpty && !haveCutsChanged && !haveReleasesChanged
        && !haveUplinksChanged && !haveEpochsChanged && narrowed.isEmpty
        && changedCertificates.isEmpty
    }

    fileprivate mutating func note(
      _ noted: ControlEvaluation.Extension, others: [SignedCertificate]
    ) {
      growth.certificates = noted.admitted
      growth.others = others
      growth.revoked = noted.revoked
      if noted.haveCutsChanged { (isRosterNew, haveCutsChanged) = (true, true) }
      if noted.haveReleasesChanged { haveReleasesChanged = true }
      if noted.haveUplinksChanged { haveUplinksChanged = true }
      if !noted.revocations.isEmpty { haveEpochsChanged = true }
    }
  }

  /// - Parameter ownChain: what this device was admitted with; nil on nobody's. It counts from the
  ///   start, since its own writes must, though the frames that carry it may still be on their way.
  init(operation: OperationID, rootKey: VerifyingKey, ownChain: CertificateChain?) {
    rules = ControlEvaluation.Rules(
      operation: operation, rootKey: rootKey, ownChain: ownChain?.certificates ?? [])
    state = ControlEvaluation(evidence, rules: rules, signatures: &signatures)
  }

  /// Adds what a control frame says; it counts after `evaluate`.
  mutating func add(_ operations: [Operation], of frame: Frame, in opening: Opening) {
    let log = frame.strand
    evidence.logsOf[opening.certificate, default: []].insert(log)
    for operation in operations {
      switch operation {
      case .revocation(let revocation):
        ledger.hold(frame.hash)
        evidence.namedBy[revocation.device, default: []].insert(log)
      default: break
      }
    }
    let isNew = evidence.logs[log, default: ControlLog(certificate: opening.certificate)]
      .add(operations, sequence: frame.sequence, hash: frame.hash)
    guard isNew else { return }
    pending.append(
      PendingStatement(
        log: log, certificate: opening.certificate, sequence: frame.sequence, frame: frame.hash,
        operations: operations))
  }

  /// Adds a chain up to the root, leaf first, that a device proved itself with or a peer handed
  /// over. Returns what is new and was added: it counts after `evaluate`.
  ///
  /// - Parameter chain: the caller MUST have verified its signatures.
  mutating func add(chain: [SignedCertificate]) -> [SignedCertificate] {
    let added = evidence.shown.insert(chain: chain) { state.admitted[$0] != nil }
    pendingShown += added
    return added
  }

  // MARK: Evidence

  /// Adds membership evidence: it counts after `evaluate`.
  ///
  /// - Parameter item: the caller MUST have verified its signatures.
  mutating func add(_ item: EvidenceItem) -> EvidenceSet.Change {
    let change = evidence.membership.insert(item)
    guard change.added != nil else { return change }
    knownOutcome = nil
    switch item.statement {
    case .forkProof: isStale = true
    case .council: reviewCouncils()
    case .vote:
      knownNamed = nil
      reviewCouncils()
    }
    return change
  }

  /// Evaluates again only what decides something: a flood of votes costs one tally each.
  private mutating func reviewCouncils() {
    let decision = CouncilDecision(councils, lineage: evidence.lineage)
    let listed = Set(evidence.membership.listed.map(\.signed.hash))
    if decision != state.councils || listed != state.listed { isStale = true }
  }

  /// What councils are held, and what their members voted.
  var councils: CouncilSet { evidence.membership.councils }

  /// The first revocation of a council member in each control log of a device, by its sequence: it
  /// has no effect, and an honest commander votes instead.
  func hostilities(of device: DeviceID) -> [LogID: UInt64] {
    evidence.logs.filter { author(of: $0.value.certificate)?.device == device }
      .compactMapValues { contents in
        contents.revocations.filter {
          $0.value.device != device && state.councils.members.contains($0.value.device)
        }.map(\.sequence).min()
      }
  }

  /// The counting certificates that a device issued, in the order of some of its control logs and
  /// then those that only were shown.
  ///
  /// - Parameter ends: of control logs with an end, those before it alone are given; where there is
  ///   any, none that only was shown.
  func issued(
    by device: DeviceID, in logs: [LogID], before ends: [LogID: UInt64] = [:]
  ) -> [CertificateHash] {
    let own = Set(admissions.map(\.signed).filter { $0.certificate.device == device }.map(\.hash))
    let issued = admissions.map(\.signed).filter { own.contains($0.certificate.issuer) }.map(\.hash)
    var left = Set(issued)
    var ordered: [CertificateHash] = []
    for log in logs {
      for entry in evidence.logs[log]?.certificates ?? []
      where entry.sequence < ends[log] ?? .max && left.remove(entry.value.hash) != nil {
        ordered.append(entry.value.hash)
      }
    }
    return ends.isEmpty ? ordered + issued.filter(left.contains) : ordered
  }

  // MARK: Certificates

  /// Takes back what a start finds in the store.
  mutating func restore(_ certificates: [SignedCertificate], _ items: [EvidenceItem]) {
    evidence.shown.restore(certificates)
    evidence.membership.restore(items)
    isStale = true
  }

  /// Whether nothing but the openings of a certificate's logs counts.
  func hasOverflowed(_ certificate: CertificateHash) -> Bool {
    evidence.membership.overflowed.contains(certificate)
  }

  /// The membership evidence that is held.
  var membership: EvidenceSet { evidence.membership }

  /// Issuers of as many certificates as may be held besides those in control logs.
  var fullIssuers: Set<CertificateHash> { evidence.shown.full }

  /// Certificates that were shown, by hash.
  var shownCertificates: [SignedCertificate] { evidence.shown.sorted }

  /// Takes how strands hang together now: with a fork, what a cut leaves is another question.
  mutating func take(_ lineage: Lineage) {
    guard lineage != evidence.lineage else { return }
    evidence.lineage = lineage
    isStale = true
  }

  /// Frames that votes, or revocations and releases which count, name.
  mutating func named() -> Set<Head> {
    if let knownNamed { return knownNamed }
    let named = state.named.union(councils.namedFrames)
    knownNamed = named
    return named
  }

  /// Whether it matters in which strand a frame stands: its log is forked, and a cut names it.
  mutating func isNamed(_ frame: Frame) -> Bool {
    evidence.lineage.isForked(frame.log)
      && named().contains(Head(log: frame.log, sequence: frame.sequence, hash: frame.hash))
  }

  /// Whether strands go on from a log, or from a strand: then it grows no more.
  func isParted(_ log: LogID) -> Bool { evidence.lineage.parted.contains(log) }

  /// The last sequence that counts of a log that is proved to have more branches than count.
  func forkEnd(of log: LogID) -> UInt64? { evidence.lineage.ends[log] }

  /// Whether any log that is held is forked.
  var hasForks: Bool { evidence.lineage.hasForks }

  // MARK: Evaluating

  /// Evaluates what was added: by itself where it decides nothing about the rest, else everything.
  mutating func evaluate() -> Change {
    var change = Change()
    if isStale || !pending.isEmpty || !pendingShown.isEmpty { knownOutcome = nil }
    var noted = ControlEvaluation.Extension()
    if !isStale, !extend(&noted) { isStale = true }
    if isStale { evaluateAnew(&change) }
    change.note(noted, others: pendingShown)
    if isStale || !noted.revocations.isEmpty || noted.haveReleasesChanged { knownNamed = nil }
    (pending, pendingShown, isStale) = ([], [], false)
    ledger.settle()
    for epoch in ledger.takeChanged() {
      change.growth.epochs[epoch] = ledger.withheld.contains(epoch)
      change.haveEpochsChanged = true
    }
    return change
  }

  /// False where all has to be evaluated, besides what was noted up to there.
  private mutating func extend(_ noted: inout ControlEvaluation.Extension) -> Bool {
    for frame in pending {
      guard
        state.extend(
          by: frame, evidence, rules: rules, signatures: &signatures, noting: &noted)
      else { return false }
    }
    for signed in pendingShown {
      guard
        state.extend(
          byShown: signed, evidence, rules: rules, signatures: &signatures, noting: &noted)
      else { return false }
    }
    for log in Set(pending.map(\.log)) { fileEpochs(of: log) }
    for frame in noted.revocations { ledger.count(frame) }
    return true
  }

  private mutating func evaluateAnew(_ change: inout Change) {
    completeEvaluations += 1
    let before = state
    state = ControlEvaluation(evidence, rules: rules, signatures: &signatures)
    let announcing = evidence.logs.filter { !$0.value.epochs.isEmpty }.keys
    let changed = announcing.filter {
      filedEpochs[$0] ?? 0 > 0 && state.standings[$0] != before.standings[$0]
    }
    if changed.contains(where: { state.standings[$0] == nil }) {
      ledger = EpochLedger(held: ledger.held, forgetting: ledger.announced)
      filedEpochs = [:]
      change.isRosterNew = true
    } else if !changed.isEmpty {
      ledger.judge(by: state.standings)
      change.haveEpochsChanged = true
    }
    for log in announcing { fileEpochs(of: log) }
    for mark in state.councils.marks.keys { ledger.hold(mark) }
    ledger.count(only: state.revocations.keys)
    compare(with: before, noting: &change)
    if state.admitted != before.admitted || state.cuts != before.cuts {
      change.isRosterNew = true
    }
    if state.revocations.keys != before.revocations.keys { change.haveEpochsChanged = true }
    change.haveUplinksChanged = state.uplinks != before.uplinks
  }

  /// Notes for which frames of other lanes something else counts.
  private func compare(with before: ControlEvaluation, noting change: inout Change) {
    change.haveCutsChanged = state.cuts.differ(from: before.cuts) { device in
      state.ranks[device] != nil || before.ranks[device] != nil
    }
    change.haveReleasesChanged = state.released != before.released
    change.narrowed = state.cuts.narrowed(from: before.cuts)
    let certificates = Set(state.admitted.keys)
    change.changedCertificates = certificates.symmetricDifference(before.admitted.keys)
  }

  /// What another evaluation came to that is not the same here.
  func difference(from before: ControlPlane) -> Change {
    var change = Change()
    compare(with: before.state, noting: &change)
    return change
  }

  /// Adds the epochs of a log to the ledger that are not in it.
  private mutating func fileEpochs(of log: LogID) {
    guard let standing = state.standings[log], let contents = evidence.logs[log] else { return }
    let filed = filedEpochs[log] ?? 0
    guard filed < contents.epochs.count else { return }
    ledger.expect(contents.epochs.count - filed)
    for index in filed..<contents.epochs.count {
      ledger.add(contents.epochs[index], index: index, of: log, standing: standing)
    }
    filedEpochs[log] = contents.epochs.count
  }

  // MARK: Reading

  /// A hash of what all of it comes to.
  mutating func outcomeHash() -> Bytes32 {
    if let knownOutcome { return knownOutcome }
    var outcome = ControlOutcome()
    outcome.members = state.admitted.map { ($0.key, $0.value.rank) }
    outcome.revocations = Array(state.revocations.keys)
    outcome.released = Array(state.released)
    outcome.epochs = ledger.counting.announcements.map {
      ($0.announcement.id, $0.announcement.generation, $0.certificate)
    }
    outcome.forkEnds = evidence.membership.forkEnds
    outcome.councils = councils.current.map(\.hash)
    let hash = outcome.hash
    knownOutcome = hash
    return hash
  }

  var epochs: CountingEpochs { ledger.counting }

  /// - Parameters:
  ///   - parts: what counts of logs that do not in full.
  ///   - control: the same of control logs.
  func roster(
    _ parts: [LogID: CountedPart] = [:], control: ControlParts = ControlParts()
  ) -> Roster {
    Roster(
      state.admitted.values.map(\.signed).sorted { $0.hash < $1.hash },
      revoked: state.cuts.revoked, withheld: ledger.withheld,
      announced: ledger.announced, parts: parts, control: control,
      overforked: Set(evidence.lineage.ends.keys), others: evidence.shown.sorted)
  }

  /// The certificate with a hash; nil where it does not count.
  func signed(_ certificate: CertificateHash) -> SignedCertificate? {
    state.admitted[certificate]?.signed
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

  /// Of a device, its least; nil where no certificate of it counts.
  func rank(of device: DeviceID) -> Int? {
    state.ranks[device]
  }

  /// Of the device that a log was opened by, if its certificate counts; 0 for the root, and behind
  /// all others where nobody knows.
  func rank(under certificate: CertificateHash) -> UInt8 {
    certificate == .root ? 0 : UInt8(clamping: state.admitted[certificate]?.rank ?? .max)
  }

  /// A certificate and those up to the root, leaf first; nil where one of them does not count. A
  /// member of a council counts whatever became of its issuers.
  func chain(of leaf: SignedCertificate) -> [SignedCertificate]? {
    if let listed = evidence.membership.councils.listed[leaf.hash] { return listed.chain }
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
    let reach = epochs.reach
    return reach == .max ? .max : reach + 1
  }

  /// A new epoch, which excludes everybody who has been revoked; where these are more than one
  /// announcement can name, as many as it can beyond those that some epoch excludes already.
  func announcement(of id: EpochID, sealed: [SealedEpochKey]) -> EpochAnnouncement {
    var (base, left): (EpochID?, Set<FrameHash>) = (nil, Set(state.revocations.keys))
    if left.count > Limits.excludedRevocations { (base, left) = ledger.base(excluding: left) }
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
