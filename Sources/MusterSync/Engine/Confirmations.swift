public import MusterModel

/// What one peer has shown, by hashes that match, that it holds: so many devices "hold" a report.
/// What it was only sent does not count, nor a sequence number without its hash.
///
///     leaves, heads, runs of it ──▶ a claim: (sequence, hash prefix) of one log
///     an acknowledgement of a run that says it is held ──▶ the same
///     a set's root is ours      ──▶ it holds all that is held here of that set, as of that change
///
/// The later word counts. A claim of more, or of other, than is held here is kept as it is: whoever
/// asks compares its hash with the frame held at that place.
struct Confirmations: Sendable {
  private struct Claim {
    var hint: LeafHint
    var turn: UInt64
  }

  private struct Agreement {
    var change: UInt64
    var turn: UInt64
  }

  private var claims: [LogID: Claim] = [:]
  private var agreements: [SetID: Agreement] = [:]
  private var turn: UInt64 = 0

  /// The peer said exactly what it holds of a log, which may be less than it once did.
  mutating func note(_ hint: LeafHint) {
    turn += 1
    claims[LogID(raw: hint.key)] = Claim(hint: hint, turn: turn)
  }

  /// The peer showed that it holds this much at least. Such a word may have been overtaken on its
  /// way, so it takes nothing back.
  mutating func noteAtLeast(_ hint: LeafHint, held: LogSummary?, change: UInt64) {
    if let known = claim(of: LogID(raw: hint.key), held: held, change: change),
      known.number >= hint.number
    {
      return
    }
    note(hint)
  }

  /// The peer's root of a set is the one here, which last changed with `change`.
  mutating func noteAgreement(on set: SetID, change: UInt64) {
    turn += 1
    agreements[set] = Agreement(change: change, turn: turn)
  }

  /// The newest that the peer showed of a log; `held` and `change` are what is held here of it, and
  /// when that came.
  func claim(of log: LogID, held: LogSummary?, change: UInt64) -> LeafHint? {
    let claim = claims[log]
    guard let held, let agreement = agreements[SetID(held.opening.lane)],
      agreement.change >= change, agreement.turn > claim?.turn ?? 0
    else { return claim?.hint }
    return LeafHint(held.head)
  }

  /// MUST be called before a log grows here: an agreement speaks of what was held until then.
  mutating func settle(_ held: LogSummary, change: UInt64) {
    let log = held.head.log
    guard let agreement = agreements[SetID(held.opening.lane)], agreement.change >= change,
      agreement.turn > claims[log]?.turn ?? 0
    else { return }
    claims[log] = Claim(hint: LeafHint(held.head), turn: agreement.turn)
  }
}

extension SyncEngine {
  /// Notes one leaf of a peer's, which says exactly what it holds, or at least so much.
  mutating func confirm(_ hint: LeafHint, isExact: Bool, by device: DeviceID) {
    let log = LogID(raw: hint.key)
    // Of a log that is not held here there is nothing that a report could be in.
    guard shelf.logs[log] != nil else { return }
    if isExact {
      peers[device]?.confirmations.note(hint)
    } else {
      let whole = comparedWhole(log)
      peers[device]?.confirmations.noteAtLeast(hint, held: whole, change: shelf.change(of: log))
    }
  }

  /// What is held of a log if equal roots speak of all of it, and not of a part that counts.
  private func comparedWhole(_ log: LogID) -> LogSummary? {
    shelf.countsWhole(log) ? shelf.logs[log] : nil
  }

  /// Notes what roots, or the hash of a whole subtree, say by being the same as here.
  mutating func confirm(_ roots: Roots, by device: DeviceID) {
    let own = shelf.roots()
    for set in SetID.allCases where roots[set] == own[set] {
      peers[device]?.confirmations.noteAgreement(on: set, change: shelf.changes)
      noteSharing(of: set)
    }
  }

  mutating func confirmSubtree(of set: SetID, under prefix: NibblePrefix, by device: DeviceID) {
    guard set != .records else { return }
    for leaf in shelf.leaves(of: set, under: prefix) {
      confirm(leaf, isExact: true, by: device)
      noteShared(leaf)
    }
  }

  /// Runs that a device holds, since it says that it holds all that came.
  mutating func confirm(_ runs: [(log: LogID, last: UInt64)], by device: DeviceID) {
    for run in runs {
      guard let head = shelf.logs[run.log]?.head, head.sequence == run.last else { continue }
      confirm(LeafHint(head), isExact: false, by: device)
    }
  }

  /// MUST be called before a log of this shelf grows.
  mutating func settleConfirmations(of log: LogID) {
    guard let held = comparedWhole(log) else { return }
    let change = shelf.change(of: log)
    for device in peers.devices { peers[device]?.confirmations.settle(held, change: change) }
  }

  /// What each peer has shown that it holds of a log, by device: its newest sequence there, and the
  /// first eight bytes of that frame's hash, which the caller MUST compare with the frame it holds.
  public func confirmations(
    of log: LogID
  ) -> [(device: DeviceID, sequence: UInt64, hashPrefix: UInt64)] {
    let held = comparedWhole(log)
    let change = shelf.change(of: log)
    return met.compactMap { device in
      let claim = peers[device]?.confirmations.claim(of: log, held: held, change: change)
      return claim.map { (device, UInt64($0.number), $0.hash) }
    }
  }

  /// Whether every peer in reach has shown how much it holds of these logs, and none holds more
  /// than is held here; nil while nobody is in reach.
  public func haveShown(_ logs: [LogID]) -> Bool? {
    let reached = connected.filter { peers[$0]?.isReachable == true }
    guard !reached.isEmpty else { return nil }
    return logs.allSatisfy { log in
      let held = shelf.logs[log]?.head.sequence
      let shown = confirmations(of: log).filter { claim in
        held.map { claim.sequence <= $0 } ?? false
      }
      return Set(reached).isSubset(of: shown.map(\.device))
    }
  }

  /// The newest frame held of a log.
  public func head(of log: LogID) -> Head? { shelf.logs[log]?.head }

  /// Every log that is held, by id: its lane, and its newest frame.
  public var heads: [(lane: Lane, head: Head)] {
    shelf.logs.values.map { ($0.opening.lane, $0.head) }
      .sorted { $0.1.log < $1.1.log }
  }
}
