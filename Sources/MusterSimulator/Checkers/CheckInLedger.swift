import MusterCRDT
import MusterModel
import MusterStore

/// What was written about timers, and when each node received it: the truth that `CheckInChecker`
/// compares with.
///
/// It follows from acknowledged commands, from the frames on each node's disk and from the true
/// time. No due time, date or state of the product is read for it. Times are milliseconds of a
/// node's steady clock (`NodeClock.steadyMilliseconds`).
struct CheckInLedger {
  /// The start of a timer, or a report on it.
  struct Entry {
    let row: RowID
    let isStart: Bool
    /// The node that wrote it, and how often its machine had been started.
    let author: Int
    let authorBoot: UInt64
    let madeAt: Instant
    /// Seconds to the next due time; 0 for none.
    let seconds: UInt32
    let frames: [Bytes16]
    /// The reports that its author held.
    let superseded: Set<Int>
  }

  struct Timer {
    let person: UserID
    let graceMilliseconds: Int64
    let nextSecondsAfterOk: UInt32
    let start: Int
    fileprivate(set) var reports: [Int] = []
    /// Whether writes may exist that were not acknowledged or do not count, or something else
    /// settles it.
    fileprivate(set) var isUncertain: Bool
  }

  /// A node's copy of an entry.
  struct Holding {
    let receivedAt: Int64
    /// How often the machine of the node had been started.
    let boot: UInt64
    /// When the node may at the latest assume that it was made: the receipt, or later after a
    /// restart that lost the time.
    fileprivate(set) var latest: Int64
    /// Whether a wall clock that was set forward may make the alarm early.
    fileprivate(set) var mayBeEarly = false
  }

  /// What a node has to show of a timer.
  struct Expected {
    /// Whether a check-in is due.
    let isRunning: Bool
    /// The true due time.
    let due: Int64
    /// The latest permitted due time.
    let latest: Int64
    let mayBeEarly: Bool
    /// Whether the clocks of all its authors keep the assumed rate.
    let isPrecise: Bool
  }

  /// The largest deviation of a clock's rate for which intervals are promised.
  static let mostDriftPerMillion: Int64 = 99

  private(set) var entries: [Entry] = []
  private(set) var timers: [RowID: Timer] = [:]
  private var dots: Set<Dot> = []
  /// By node and entry.
  private var held: [Int: [Int: Holding]] = [:]

  // MARK: Writes

  /// Records the timers for people that a node has just started; only insiders start others.
  mutating func noteStarts(by node: SimulatedNode, at now: Instant, isUncertain: Bool) throws {
    for row in try node.store.rows(.checkIn) where timers[row.key.id] == nil {
      guard let start = row.values(of: .checkInExistence).first, let person = row.owner,
        start.author == node.credentials.user, row.values(of: .checkInTracker).isEmpty
      else { continue }
      let values = Field.allCases.filter { $0.entity == .checkIn }.flatMap { row.values(of: $0) }
      let duration = Self.number(.checkInDurationSeconds, in: row) ?? 0
      let id = add(
        Entry(
          row: row.key.id, isStart: true, author: node.index, authorBoot: node.clock.boots,
          madeAt: now, seconds: duration, frames: Array(Set(values.map(\.dot.frame))).sorted(),
          superseded: []),
        heldBy: node)
      timers[row.key.id] = Timer(
        person: person,
        graceMilliseconds: Int64(Self.number(.checkInGraceSeconds, in: row) ?? 0) * 1000,
        nextSecondsAfterOk: row.values(of: .checkInRepeats).isEmpty ? 0 : duration,
        start: id, isUncertain: isUncertain)
    }
  }

  /// Records the reports that a node has just written. Returns the timers whose report states
  /// another next due time than it has to.
  mutating func noteReports(
    _ kind: CheckInReportKind, of person: UserID, by node: SimulatedNode, at now: Instant,
    isUncertain: Bool
  ) throws -> [RowID] {
    var wrong: [RowID] = []
    for row in rows(of: person) {
      guard let state = try node.store.row(RowKey(kind: .checkIn, id: row)), let timer = timers[row]
      else { continue }
      for value in state.values(of: .checkInReport) where !dots.contains(value.dot) {
        guard value.author == node.credentials.user, case .checkIn(let report) = value.value
        else { continue }
        dots.insert(value.dot)
        let due = kind == .ok ? timer.nextSecondsAfterOk : kind == .stop ? 0 : report.nextSeconds
        if due != report.nextSeconds { wrong.append(row) }
        let seen = timer.reports.filter { held[node.index]?[$0] != nil }
        let id = add(
          Entry(
            row: row, isStart: false, author: node.index, authorBoot: node.clock.boots,
            madeAt: now, seconds: due, frames: [value.dot.frame], superseded: Set(seen)),
          heldBy: node)
        timers[row]?.reports.append(id)
        if isUncertain { timers[row]?.isUncertain = true }
      }
    }
    return wrong
  }

  private mutating func add(_ entry: Entry, heldBy node: SimulatedNode) -> Int {
    let time = node.clock.steadyMilliseconds(at: entry.madeAt)
    entries.append(entry)
    held[node.index, default: [:]][entries.count - 1] = Holding(
      receivedAt: time, boot: node.clock.boots, latest: time)
    return entries.count - 1
  }

  mutating func doubt(timersOf person: UserID) {
    for row in rows(of: person) { timers[row]?.isUncertain = true }
  }

  /// The timers of a person, in a fixed order.
  private func rows(of person: UserID) -> [RowID] {
    timers.filter { $0.value.person == person }.keys.sorted()
  }

  private static func number(_ field: Field, in row: RowState) -> UInt32? {
    guard case .number(let number)? = row.values(of: field).first?.value else { return nil }
    return number
  }

  // MARK: Holdings

  /// Records what a node has received. Returns the timers that it concerns, and those that it dates
  /// more closely: what arrives early of an author dates all that the author wrote before.
  ///
  /// - Parameter rows: nil for all timers.
  mutating func receive(
    _ rows: Set<RowID>?, at node: SimulatedNode, in nodes: [SimulatedNode], now: Instant
  ) throws -> Set<RowID> {
    var changed: Set<RowID> = []
    let unreadable = try Self.unreadable(at: node)
    for (id, entry) in entries.enumerated() where held[node.index]?[id] == nil {
      guard rows?.contains(entry.row) ?? true else { continue }
      guard try Self.holds(entry.frames, at: node), unreadable.isDisjoint(with: entry.frames)
      else { continue }
      let time = node.clock.steadyMilliseconds(at: now)
      let dated = self.rows(by: entry.author).map { row in
        (row, latest: expected(row, at: node, in: nodes)?.latest)
      }
      held[node.index, default: [:]][id] = Holding(
        receivedAt: time, boot: node.clock.boots, latest: time)
      changed.insert(entry.row)
      for (row, latest) in dated where expected(row, at: node, in: nodes)?.latest != latest {
        changed.insert(row)
      }
    }
    return changed
  }

  /// The timers that a node started or answered.
  private func rows(by author: Int) -> Set<RowID> {
    Set(entries.lazy.filter { $0.author == author }.map(\.row))
  }

  private static func holds(_ frames: [Bytes16], at node: SimulatedNode) throws -> Bool {
    try frames.allSatisfy { try !node.store.positions(ofFrames: [$0]).isEmpty }
  }

  /// Frames that wait for a key, for other parts or for a certificate.
  private static func unreadable(at node: SimulatedNode) throws -> Set<Bytes16> {
    guard try node.store.counts().waiting > 0 else { return [] }
    return Set(try node.store.waiting(limit: .max).map(\.frame.hash.raw.prefix))
  }

  /// Applies a restart of a node's machine.
  ///
  /// - Parameters:
  ///   - stop: when the machine stopped. What arrived in the last seconds before may not be saved,
  ///     and then counts as received at the start. Nil if nothing may be saved.
  ///   - postponement: by how much a wall clock that was set back may postpone an alarm.
  ///   - mayBeEarly: whether a wall clock was set forward.
  mutating func restart(
    _ node: SimulatedNode, stoppedAt stop: Int64?, postponement: Int64, mayBeEarly: Bool
  ) throws {
    for (id, var holding) in held[node.index] ?? [:] {
      guard try Self.holds(entries[id].frames, at: node) else {
        held[node.index]?[id] = nil
        continue
      }
      holding.latest += postponement
      if stop.map({ holding.receivedAt > $0 - Self.unsavedMilliseconds }) ?? true {
        holding.latest = max(holding.latest, node.clock.bootedAtMilliseconds)
      }
      if mayBeEarly { holding.mayBeEarly = true }
      held[node.index]?[id] = holding
    }
  }

  /// From an arrival to the review that saves its time, with some reserve.
  private static let unsavedMilliseconds: Int64 = 3000

  // MARK: Truth

  /// Returns what a node has to show of a timer; nil if it does not hold the start.
  func expected(_ row: RowID, at node: SimulatedNode, in nodes: [SimulatedNode]) -> Expected? {
    guard let timer = timers[row], let mine = held[node.index], mine[timer.start] != nil
    else { return nil }
    let reports = timer.reports.filter { mine[$0] != nil }
    let superseded = reports.reduce(into: Set<Int>()) { $0.formUnion(entries[$1].superseded) }
    let live = reports.filter { !superseded.contains($0) }
    let counting = reports.isEmpty ? [timer.start] : live.filter { entries[$0].seconds > 0 }
    var (due, latest, mayBeEarly, isPrecise) = (Int64.min, Int64.min, false, true)
    for id in counting {
      guard let holding = mine[id] else { continue }
      due = max(due, trueDue(id, at: node))
      latest = max(latest, latestDue(id, holding, at: node, in: nodes))
      mayBeEarly = mayBeEarly || holding.mayBeEarly
      isPrecise = isPrecise && keepsRate(id, at: node, in: nodes)
    }
    return Expected(
      isRunning: !counting.isEmpty, due: due, latest: latest, mayBeEarly: mayBeEarly,
      isPrecise: isPrecise)
  }

  private func keepsRate(_ id: Int, at node: SimulatedNode, in nodes: [SimulatedNode]) -> Bool {
    [node, nodes[entries[id].author]].allSatisfy {
      abs($0.clock.driftPerMillion) <= Self.mostDriftPerMillion
    }
  }

  private func trueDue(_ id: Int, at node: SimulatedNode) -> Int64 {
    node.clock.steadyMilliseconds(at: entries[id].madeAt) + Int64(entries[id].seconds) * 1000
  }

  /// The receipt plus the duration, or the true due time plus the shortest delay of what arrived of
  /// the author's boot in the node's present boot, plus drift.
  private func latestDue(
    _ id: Int, _ holding: Holding, at node: SimulatedNode, in nodes: [SimulatedNode]
  ) -> Int64 {
    let byReceipt = holding.latest + Int64(entries[id].seconds) * 1000
    guard keepsRate(id, at: node, in: nodes) else { return byReceipt }
    let entry = entries[id]
    let drifts = [node, nodes[entry.author]].map(\.clock.driftPerMillion)
    // A node assumes that two clocks differ by 200 ppm; a real difference adds to it.
    let rate = 200 + abs(drifts[0] - drifts[1])
    var delay = Int64.max
    for (other, received) in held[node.index] ?? [:] {
      guard entries[other].author == entry.author, entries[other].authorBoot == entry.authorBoot,
        received.boot == node.clock.boots
      else { continue }
      let took = received.receivedAt - node.clock.steadyMilliseconds(at: entries[other].madeAt)
      let gap = abs(entries[other].madeAt.milliseconds(since: entry.madeAt))
      delay = min(delay, took + gap * rate / 1_000_000 + Self.roundingMilliseconds)
    }
    return delay == .max ? byReceipt : min(byReceipt, trueDue(id, at: node) + delay)
  }

  /// Each reading of a clock is rounded down.
  private static let roundingMilliseconds: Int64 = 6
}
