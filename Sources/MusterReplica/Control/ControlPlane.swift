internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Certified devices, revoked devices and announced epochs: a function of the set of control frames
/// and shown certificates, independent of clocks and of the order of arrival.
///
/// A shown certificate counts even without its issuer's control log: a device authenticated with
/// it, or a peer sent it. Peers reconcile these, so every node evaluates the same set.
///
/// `ControlEvaluation` evaluates rank by rank, the root first. A new frame that does not affect
/// other frames is added alone, so its cost does not grow with the number of frames.
struct ControlPlane: Sendable {
  private let rules: ControlEvaluation.Rules
  private(set) var evidence = ControlEvaluation.Evidence()
  private(set) var state: ControlEvaluation
  private(set) var ledger = EpochLedger()
  /// The number of epochs of each log that the ledger contains.
  private var filedEpochs: [LogID: Int] = [:]
  /// Frames that cuts, releases or votes name; nil after a change.
  private var knownNamed: Set<Head>?
  /// Statements and shown certificates that were added and are not evaluated.
  private var pending: [PendingStatement] = []
  private var pendingShown: [SignedCertificate] = []
  private var isStale = false
  /// The number of complete evaluations, for tests.
  private(set) var completeEvaluations = 0
  /// The hash of the outcome; nil after a change.
  private var knownOutcome: Bytes32?
  /// Caches verified signatures, so that each is verified once.
  private var signatures = VerifiedSignatures()

  /// A certified device, and its distance from the root.
  struct Admission: Hashable, Sendable {
    let signed: SignedCertificate
    /// The number of certificates between the device and the root, from 1.
    let rank: Int
  }

  /// Whether a frame counts, and for which author.
  enum Standing: Sendable {
    /// The frame counts as a statement of this author.
    case author(Author)
    /// The frame is past a cut of its revoked author and does not count.
    case cut
    /// The author's certificate does not count, or does not count yet.
    case unknown
  }

  /// The effects of new control frames and certificates.
  struct Change: Sendable {
    /// Whether the roster may differ by more than `growth`, so that it has to be built again.
    var isRosterNew = false
    /// Additions to the roster.
    var growth = RosterGrowth()
    var haveCutsChanged = false
    /// Sequences of logs and strands that no longer count, because of a proof of too many branches.
    var narrowed: [LogID: ClosedRange<UInt64>] = [:]
    /// Certificates that no longer count, or that count again.
    var changedCertificates: Set<CertificateHash> = []
    var haveReleasesChanged = false
    var haveUplinksChanged = false
    /// Whether the epoch to write under may have changed.
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
      if noted.admitsRevoked { isRosterNew = true }
      if noted.haveCutsChanged { (isRosterNew, haveCutsChanged) = (true, true) }
      if noted.haveReleasesChanged { haveReleasesChanged = true }
      if noted.haveUplinksChanged { haveUplinksChanged = true }
      if !noted.revocations.isEmpty { haveEpochsChanged = true }
    }
  }

  /// - Parameter ownChain: the chain that this device was admitted with; nil without a device. It
  ///   counts from the start, so that the device's own writes count before the frames that carry
  ///   the chain arrive.
  init(operation: OperationID, rootKey: VerifyingKey, ownChain: CertificateChain?) {
    rules = ControlEvaluation.Rules(
      operation: operation, rootKey: rootKey, ownChain: ownChain?.certificates ?? [])
    state = ControlEvaluation(evidence, rules: rules, signatures: &signatures)
  }

  /// Adds the statements of a control frame; they count after `evaluate`.
  mutating func add(_ operations: [Operation], of frame: Frame, in opening: Opening) {
    let log = frame.strand
    evidence.logsOf[opening.certificate, default: []].insert(log)
    for operation in operations {
      switch operation {
      case .revocation(let revocation):
        ledger.hold(frame.hash)
        evidence.namedBy[revocation.device, default: []].insert(log)
      case .certificate(let signed) where signed.certificate.issuer == opening.certificate:
        if hasUnfiledEpochs(signed) { isStale = true }
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

  /// Adds a shown chain. Returns the new certificates that were added; they count after `evaluate`.
  ///
  /// - Parameter chain: certificates up to the root, leaf first. The caller MUST have verified the
  ///   signatures.
  mutating func add(chain: [SignedCertificate]) -> [SignedCertificate] {
    let added = evidence.shown.insert(chain: chain) { state.admitted[$0] != nil }
    pendingShown += added
    if added.contains(where: hasUnfiledEpochs) { isStale = true }
    return added
  }

  // MARK: Evidence

  /// Adds membership evidence; it counts after `evaluate`.
  ///
  /// - Parameter item: the caller MUST have verified the signatures.
  mutating func add(_ item: EvidenceItem) -> EvidenceSet.Change {
    let change = evidence.membership.insert(item)
    guard change.added != nil else { return change }
    knownOutcome = nil
    switch item.statement {
    case .twins: break
    case .forkProof: isStale = true
    case .council, .vote:
      knownNamed = nil
      reviewCouncils()
    }
    return change
  }

  /// Requests an evaluation only if the councils decide otherwise: else a vote costs one tally.
  private mutating func reviewCouncils() {
    let decision = CouncilDecision(councils, lineage: evidence.lineage)
    let listed = Set(evidence.membership.listed.map(\.signed.hash))
    if decision != state.councils || listed != state.listed { isStale = true }
  }

  /// The councils, and the votes of their members.
  var councils: CouncilSet { evidence.membership.councils }

  /// Returns the sequence of the first revocation of a council member in each control log of a
  /// device. Such a revocation has no effect; an honest commander votes instead.
  func hostilities(of device: DeviceID) -> [LogID: UInt64] {
    evidence.logs.filter { author(of: $0.value.certificate)?.device == device }
      .compactMapValues { contents in
        contents.revocations.filter {
          $0.value.device != device && state.councils.members.contains($0.value.device)
        }.map(\.sequence).min()
      }
  }

  /// Returns the certificates that a device issued and that count: first those in control logs, in
  /// order, then those that were only shown.
  ///
  /// - Parameters:
  ///   - device: the issuer.
  ///   - logs: control logs of the device.
  ///   - ends: sequences before which a control log is read. If there are any, certificates that
  ///     were only shown are left out.
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

  /// Restores the stored certificates and evidence at the start.
  mutating func restore(_ certificates: [SignedCertificate], _ items: [EvidenceItem]) {
    evidence.shown.restore(certificates)
    evidence.membership.restore(items)
    isStale = true
  }

  /// Whether only the openings of a certificate's logs count: too many of these logs are forked.
  func hasOverflowed(_ certificate: CertificateHash) -> Bool {
    evidence.membership.overflowed.contains(certificate)
  }

  /// The membership evidence that this node holds.
  var membership: EvidenceSet { evidence.membership }

  /// Issuers whose room for shown certificates is full.
  var fullIssuers: Set<CertificateHash> { evidence.shown.full }

  /// The shown certificates, in ascending order of hash.
  var shownCertificates: [SignedCertificate] { evidence.shown.sorted }

  /// Replaces the trees of strands: a new fork can change what a cut leaves.
  mutating func take(_ lineage: Lineage) {
    guard lineage != evidence.lineage else { return }
    evidence.lineage = lineage
    isStale = true
  }

  /// Returns the frames that votes name, or revocations and releases that count.
  mutating func named() -> Set<Head> {
    if let knownNamed { return knownNamed }
    let named = state.named.union(councils.namedFrames)
    knownNamed = named
    return named
  }

  /// Whether the strand of a frame matters: its log is forked, and a cut names it.
  mutating func isNamed(_ frame: Frame) -> Bool {
    evidence.lineage.isForked(frame.log)
      && named().contains(Head(log: frame.log, sequence: frame.sequence, hash: frame.hash))
  }

  /// Whether a log or strand ends at a fork. Then it no longer grows.
  func isParted(_ log: LogID) -> Bool { evidence.lineage.parted.contains(log) }

  /// Returns the last sequence that counts of a log that is proved to have too many branches.
  func forkEnd(of log: LogID) -> UInt64? { evidence.lineage.ends[log] }

  /// Whether this node holds a forked log.
  var hasForks: Bool { evidence.lineage.hasForks }

  // MARK: Evaluating

  /// Evaluates the additions: alone if they do not affect other frames, else with everything.
  mutating func evaluate() -> Change {
    var change = Change()
    if isStale || !pending.isEmpty || !pendingShown.isEmpty { knownOutcome = nil }
    var noted = ControlEvaluation.Extension()
    if !isStale, !extend(&noted) { isStale = true }
    if isStale { evaluateCompletely(&change) }
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

  /// Adds the pending statements one by one. Returns false if a complete evaluation is needed in
  /// addition to what was noted so far.
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

  private mutating func evaluateCompletely(_ change: inout Change) {
    completeEvaluations += 1
    let before = state
    state = ControlEvaluation(evidence, rules: rules, signatures: &signatures)
    let announcing = evidence.logs.filter { !$0.value.epochs.isEmpty }.keys
    let changed = announcing.filter {
      filedEpochs[$0] ?? 0 > 0 && state.standings[$0] != before.standings[$0]
    }
    if !changed.isEmpty {
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

  /// Notes which frames of other lanes count differently.
  private func compare(with before: ControlEvaluation, noting change: inout Change) {
    change.haveCutsChanged = state.cuts.differ(from: before.cuts) { device in
      state.ranks[device] != nil || before.ranks[device] != nil
    }
    change.haveReleasesChanged = state.released != before.released
    change.narrowed = state.cuts.narrowed(from: before.cuts)
    let certificates = Set(state.admitted.keys)
    change.changedCertificates = certificates.symmetricDifference(before.admitted.keys)
  }

  /// Returns the effects that differ from another evaluation.
  func difference(from before: ControlPlane) -> Change {
    var change = Change()
    compare(with: before.state, noting: &change)
    return change
  }

  /// Adds the new epochs of a reader's log to the ledger, also of one that does not count: honest
  /// devices may have written under the epoch of a revoked one, and their frames stay readable.
  private mutating func fileEpochs(of log: LogID) {
    guard let contents = evidence.logs[log] else { return }
    let filed = filedEpochs[log] ?? 0
    guard filed < contents.epochs.count, reads(contents.certificate) else { return }
    ledger.expect(contents.epochs.count - filed)
    for index in filed..<contents.epochs.count {
      ledger.add(
        contents.epochs[index], index: index, of: log, by: contents.certificate,
        standing: state.standings[log])
    }
    filedEpochs[log] = contents.epochs.count
  }

  /// Whether logs are held that announce epochs, of a reader's certificate that was not known.
  private func hasUnfiledEpochs(_ signed: SignedCertificate) -> Bool {
    signed.certificate.role.reads
      && (evidence.logsOf[signed.hash] ?? []).contains { log in
        evidence.logs[log].map { $0.epochs.count > filedEpochs[log] ?? 0 } ?? false
      }
  }

  /// Whether the holder of a certificate may read, whether it counts or not.
  private func reads(_ certificate: CertificateHash) -> Bool {
    guard certificate != .root else { return true }
    let known =
      state.admitted[certificate]?.signed ?? evidence.shown.certificates[certificate]
      ?? evidence.logs.values.lazy.flatMap(\.certificates).first { $0.value.hash == certificate }?
      .value
    return known?.certificate.role.reads ?? false
  }

  // MARK: Reading

  /// Returns the hash of the outcome.
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
  ///   - parts: how far logs count that do not count completely.
  ///   - control: the same for control logs.
  func roster(
    _ parts: [LogID: CountedPart] = [:], control: ControlParts = ControlParts()
  ) -> Roster {
    Roster(
      state.admitted.values.map(\.signed).sorted { $0.hash < $1.hash },
      revoked: state.cuts.revoked, withheld: ledger.withheld,
      announced: ledger.announced, parts: parts, control: control,
      overforked: Set(evidence.lineage.ends.keys), others: evidence.shown.sorted)
  }

  /// Returns the certificate with a hash; nil if it does not count.
  func signed(_ certificate: CertificateHash) -> SignedCertificate? {
    state.admitted[certificate]?.signed
  }

  /// Returns the author of the logs of a certificate; nil if it does not count.
  func author(of certificate: CertificateHash) -> Author? {
    state.admitted[certificate]?.signed.certificate.author
  }

  /// Returns the user of a device; nil if none of its certificates counts.
  func user(of device: DeviceID) -> UserID? {
    state.certificate(of: device)?.certificate.user
  }

  /// Returns the standing that all frames of the logs with an opening share; nil if it differs
  /// between frames.
  func standing(under opening: Opening) -> Standing? {
    guard let author = author(of: opening.certificate) else { return .unknown }
    #if Canary
      if Canary.ignoreCut.isPlanted { return .author(author) }
    #endif
    return state.cuts.covers(author.device) || state.cuts.loseBranches ? nil : .author(author)
  }

  /// Returns whether a frame counts, and for which author.
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

  /// Returns the number of frames of a log, up to its head, that are past a cut.
  func framesCut(of log: LogSummary) -> UInt64 {
    guard let author = author(of: log.opening.certificate) else { return 0 }
    return state.cuts.past(log, by: author.device)
  }

  /// Returns the lowest rank of a device; nil if none of its certificates counts.
  func rank(of device: DeviceID) -> Int? {
    state.ranks[device]
  }

  /// Returns the rank of the device with a certificate; 0 for the root, and the highest number if
  /// the certificate does not count.
  func rank(under certificate: CertificateHash) -> UInt8 {
    certificate == .root ? 0 : UInt8(clamping: state.admitted[certificate]?.rank ?? .max)
  }

  /// Returns the chain of a certificate up to the root, leaf first; nil if one of its certificates
  /// does not count. The certificate of a council member counts independently of its issuers.
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

  func isRevoked(_ device: DeviceID) -> Bool { state.cuts.covers(device) }

  /// The certificates of `command` devices that are not revoked, by device.
  var commanders: [SignedCertificate] { keepers.filter { $0.certificate.role == .command } }

  /// The certificates of devices that sign receipts and are not revoked, by device.
  var keepers: [SignedCertificate] {
    admissions.map(\.signed).filter {
      $0.certificate.role.givesReceipts && !isRevoked($0.certificate.device)
    }
  }

  /// The TLS certificates of command posts and archives, by device.
  var uplinks: [(device: DeviceID, certificate: UplinkCertificate)] {
    state.uplinks.sorted { $0.key < $1.key }.flatMap { device, certificates in
      certificates.map { (device, $0) }
    }
  }

  /// Returns the certificate of the device with a key; nil if none was admitted.
  func certificate(ofKey key: VerifyingKey) -> SignedCertificate? {
    state.admitted.values.map(\.signed).filter { $0.certificate.signingKey == key }
      .min { $0.hash < $1.hash }
  }

  /// The certified devices, sorted by device, so that all nodes list them in the same order.
  var admissions: [Admission] {
    state.admitted.values.sorted { left, right in
      (left.signed.certificate.device, left.signed.hash)
        < (right.signed.certificate.device, right.signed.hash)
    }
  }
}
