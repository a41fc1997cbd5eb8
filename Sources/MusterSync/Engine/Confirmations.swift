public import MusterModel

/// What one peer has proved, by matching hashes, that it holds. It decides how many devices "hold"
/// a report. Data that was only sent to the peer does not count, nor does a sequence number without
/// its hash.
///
///     leaves, heads, runs of it ──▶ a claim: (sequence, hash prefix) of one log
///     an acknowledgement of a run, marked as stored  ──▶ the same
///     a set's root equals ours  ──▶ it holds all that is held here of that set, as of that change
///
/// The latest claim counts. A claim that exceeds or differs from the local log is kept unchanged:
/// the caller compares its hash with the local frame at that position.
struct Confirmations: Sendable {
  private struct Claim {
    var hint: LeafHint
    var turn: UInt64
    var moment: Instant
  }

  private struct Agreement {
    var change: UInt64
    var turn: UInt64
    var moment: Instant
  }

  private var claims: [LogID: Claim] = [:]
  private var agreements: [SetID: Agreement] = [:]
  private var turn: UInt64 = 0

  /// Records exactly what the peer holds of a log. This may be less than an earlier claim.
  mutating func note(_ hint: LeafHint, now: Instant) {
    turn += 1
    claims[LogID(raw: hint.key)] = Claim(hint: hint, turn: turn, moment: now)
  }

  /// Records that the peer holds at least this much. Such a claim may be out of date on arrival, so
  /// it never lowers an earlier one.
  mutating func noteAtLeast(
    _ hint: LeafHint, held: LogSummary?, change: UInt64, now: Instant
  ) {
    if let known = claim(of: LogID(raw: hint.key), held: held, change: change),
      known.number >= hint.number
    {
      return
    }
    note(hint, now: now)
  }

  /// Records that the peer's root of a set equals the local one, which last changed at `change`.
  mutating func noteAgreement(on set: SetID, change: UInt64, now: Instant) {
    turn += 1
    agreements[set] = Agreement(change: change, turn: turn, moment: now)
  }

  /// Returns the newest claim of the peer for a log.
  ///
  /// - Parameter held: what is stored here of the log.
  /// - Parameter change: when that was stored.
  func claim(of log: LogID, held: LogSummary?, change: UInt64) -> LeafHint? {
    newest(of: log, held: held, change: change)?.hint
  }

  /// When the peer showed that; nil if it showed nothing of the log.
  func moment(of log: LogID, held: LogSummary?, change: UInt64) -> Instant? {
    newest(of: log, held: held, change: change)?.moment
  }

  private func newest(of log: LogID, held: LogSummary?, change: UInt64) -> Claim? {
    let claim = claims[log]
    guard let held, let agreement = agreements[SetID(held.opening.lane)],
      agreement.change >= change, agreement.turn > claim?.turn ?? 0
    else { return claim }
    return Claim(hint: LeafHint(held.head), turn: agreement.turn, moment: agreement.moment)
  }

  /// Converts an agreement into a claim. MUST be called before a log grows here, since an agreement
  /// covers only what was held until then.
  mutating func settle(_ held: LogSummary, change: UInt64) {
    claims[held.head.log] = newest(of: held.head.log, held: held, change: change)
  }
}

/// Records what peers prove that they hold, and returns it.
extension Context {
  /// Records one leaf of a peer, which states exactly what it holds, or a lower bound.
  mutating func confirm(_ hint: LeafHint, isExact: Bool, by device: DeviceID) {
    let log = LogID(raw: hint.key)
    // A log that is not stored here contains no report, so its claims are not needed.
    guard logs[log] != nil else { return }
    if isExact {
      peers[known: device].holdings.confirmations.note(hint, now: clock.now)
    } else {
      let whole = comparedWhole(log)
      peers[known: device].holdings.confirmations.noteAtLeast(
        hint, held: whole, change: logs.change(of: log), now: clock.now)
    }
  }

  /// Returns the summary of a log if equal roots cover all of it, and not only a counted part.
  private func comparedWhole(_ log: LogID) -> LogSummary? {
    logs.countsWhole(log) ? logs[log] : nil
  }

  /// Records the sets whose root, or the hash of a whole subtree, equals the local one.
  mutating func confirm(_ roots: Roots, by device: DeviceID, on session: UInt32?) {
    let own = logs.roots()
    for set in SetID.allCases where roots[set] == own[set] {
      peers[known: device].holdings.confirmations.noteAgreement(
        on: set, change: logs.changes, now: clock.now)
      noteSharing(of: set, on: session)
    }
  }

  mutating func confirmSubtree(
    of set: SetID, under prefix: NibblePrefix, by device: DeviceID, on session: UInt32?
  ) {
    guard set != .records else { return }
    for leaf in logs.leaves(of: set, under: prefix) {
      confirm(leaf, isExact: true, by: device)
      noteShared(leaf, on: session)
    }
  }

  /// Records runs that a device holds because it stated that it stored all frames it received.
  mutating func confirm(_ runs: [(log: LogID, last: UInt64)], by device: DeviceID) {
    for run in runs {
      guard let head = logs[run.log]?.head, head.sequence == run.last else { continue }
      confirm(LeafHint(head), isExact: false, by: device)
    }
  }

  /// Settles the claims of all peers. MUST be called before a log of this index grows.
  mutating func settleConfirmations(of log: LogID) {
    guard let held = comparedWhole(log) else { return }
    let change = logs.change(of: log)
    for device in peers.devices {
      peers[known: device].holdings.confirmations.settle(held, change: change)
    }
  }

  /// What each peer has shown that it holds of a log, by device.
  func confirmations(of log: LogID) -> [SyncEngine.Confirmation] {
    let held = comparedWhole(log)
    let change = logs.change(of: log)
    return peers.devices.compactMap { device in
      guard let known = peers[device]?.holdings.confirmations,
        let claim = known.claim(of: log, held: held, change: change),
        let moment = known.moment(of: log, held: held, change: change)
      else { return nil }
      return SyncEngine.Confirmation(
        device: device, sequence: UInt64(claim.number), hashPrefix: claim.hash, moment: moment)
    }
  }

  /// Returns whether every reachable peer has shown how much it holds of these logs and none holds
  /// more than this device. Nil if no peer is reachable.
  func haveShown(_ logs: [LogID]) -> Bool? {
    let reached = peers.connected.filter { peers[$0]?.isReachable == true }
    guard !reached.isEmpty else { return nil }
    return logs.allSatisfy { log in
      let held = self.logs[log]?.head.sequence
      let shown = confirmations(of: log).filter { claim in
        held.map { claim.sequence <= $0 } ?? false
      }
      return Set(reached).isSubset(of: shown.map(\.device))
    }
  }
}

extension SyncEngine {

  /// What one peer has shown that it holds of a log.
  public struct Confirmation: Hashable, Sendable {
    /// The peer.
    public let device: DeviceID
    /// The newest frame that it showed.
    public let sequence: UInt64
    /// The first eight bytes of that frame's hash, which the caller MUST compare with the frame
    /// that it holds.
    public let hashPrefix: UInt64
    /// When it showed that.
    public let moment: Instant
  }

  /// Returns the newest stored frame of a log.
  public func head(of log: LogID) -> Head? { context.logs[log]?.head }

  /// Every stored log, sorted by id: its lane and its newest frame.
  public var heads: [(lane: Lane, head: Head)] {
    context.logs.summaries.values.map { ($0.opening.lane, $0.head) }
      .sorted { $0.1.log < $1.1.log }
  }

  /// What each peer has shown that it holds of a log, by device.
  public func confirmations(of log: LogID) -> [Confirmation] { context.confirmations(of: log) }

  /// The certificate of each log's author, where no log of a later incarnation of the author is
  /// held here: then its author holds the log.
  public func currentAuthors() -> [LogID: CertificateHash] { context.logs.currentAuthors() }

  /// Returns whether every reachable peer has shown how much it holds of these logs and none holds
  /// more than this device. Nil if no peer is reachable.
  public func haveShown(_ logs: [LogID]) -> Bool? { context.haveShown(logs) }
}
