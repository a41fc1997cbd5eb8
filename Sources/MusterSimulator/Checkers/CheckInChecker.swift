import MusterModel
import MusterReplica
import MusterStore

/// Checks that each node raises the alarm for every timer that it holds, in time and not too early,
/// and shows due times between which the true one lies.
///
/// `CheckInLedger` knows what a node holds and when a check-in is truly due. Timers about which
/// that is unclear are not judged: forked or revoked authors, writes that were not acknowledged,
/// and people that command accounted for.
final class CheckInChecker: Checker {
  static let missed = "no alarm is missed for a check-in that a node holds"
  static let wrong = "no alarm is raised against a check-in that a node holds"
  static let interval = "a check-in is due within the interval that is shown"

  private var ledger = CheckInLedger()
  private let isActive: Bool
  private let namesWithDisks: Set<String>
  /// Nodes whose last starts of timers may not have been acknowledged.
  private var unclear: Set<Int> = []
  /// By node: since when its wall clock is ahead by how much.
  private var skews: [Int: [(since: Instant, milliseconds: Int64)]] = [:]
  /// Nodes whose database was restored: when their times were last saved is unknown.
  private var restored: Set<Int> = []
  /// By node and timer, when what the node holds, or knows of its date, changed last.
  private var changes: [Int: [RowID: Instant]] = [:]
  /// How many timers were compared, and how many of them were overdue.
  private(set) var (compared, alarms) = (0, 0)

  /// From a due time to the review that raises the alarm.
  private static let reviewMilliseconds =
    ReviewTimer.restMilliseconds + ReviewTimer.soonMilliseconds + 300
  /// The interval between two saves of the times, and the review after it.
  private static let savingMilliseconds: Int64 = 62_000
  private static let roundingMilliseconds: Int64 = 10

  init(_ scenario: Scenario) {
    // Whose frames count while a council decides is checked elsewhere.
    isActive = scenario.workload.hasCheckIns && scenario.council.isEmpty
    namesWithDisks = scenario.namesWithDisks
  }

  // MARK: Writes

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    guard isActive else { return }
    let isDoubtful = world.faulty.doubtful.contains(node.index)
    switch act {
    case .startCheckIns:
      try ledger.noteStarts(
        by: node, at: world.now, isUncertain: isDoubtful || unclear.contains(node.index))
    case .checkIn(let kind, let user, _):
      let wrong = try ledger.noteReports(
        kind, of: user ?? node.credentials.user, by: node, at: world.now, isUncertain: isDoubtful)
      if let row = wrong.first {
        world.report(Self.wrong, "\(node.name) wrote another next due time for \(row.short)")
      }
    case .override(let user, _): return ledger.doubt(timersOf: user)
    default: return
    }
    for row in ledger.timers.keys { changes[node.index, default: [:]][row] = world.now }
    expectAlarms(at: node, in: world)
  }

  func tried(_ act: Act, at node: SimulatedNode) {
    switch act {
    case .startCheckIns: unclear.insert(node.index)
    case .checkIn(_, let user, _): ledger.doubt(timersOf: user ?? node.credentials.user)
    case .override(let user, _): ledger.doubt(timersOf: user)
    default: break
    }
  }

  // MARK: Nodes

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    guard isActive, isJudged(node, in: world) else { return }
    noteSkew(of: node, at: world.now)
    let rows = Set(outcome.changedRows.filter { $0.kind == .checkIn }.map(\.id))
    if !rows.isEmpty { try receive(rows, at: node, in: world) }
    for case .raised(let alert) in outcome.alertChanges where alert.id.kind == .checkIn {
      try checkRaised(alert, at: node, in: world)
    }
  }

  private func receive(_ rows: Set<RowID>?, at node: SimulatedNode, in world: World) throws {
    let changed = try ledger.receive(rows, at: node, in: world.nodes, now: world.now)
    for row in changed { changes[node.index, default: [:]][row] = world.now }
    if !changed.isEmpty { expectAlarms(at: node, in: world) }
  }

  private func noteSkew(of node: SimulatedNode, at now: Instant) {
    let skew = node.clock.skewMilliseconds
    guard skews[node.index]?.last?.milliseconds != skew else { return }
    skews[node.index, default: []].append((now, skew))
  }

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    restored.insert(node.index)
  }

  func started(_ node: SimulatedNode, in world: World) throws {
    guard isActive, node.reads else { return }
    defer { noteSkew(of: node, at: world.now) }
    guard let stop = node.machine.interruptedAt, let known = skews[node.index] else { return }
    let isUnsaved = restored.contains(node.index) || namesWithDisks.contains(node.name)
    let start = isUnsaved ? Instant(microseconds: 0) : stop
    let since = start.advanced(byMilliseconds: -Self.savingMilliseconds)
    // The clock showed one of these when the times were saved.
    let possible = known.indices.filter { index in
      index + 1 == known.count || known[index + 1].since >= since
    }.map { known[$0].milliseconds }
    let now = node.clock.skewMilliseconds
    let setBack = possible.map { max(0, $0 - now) }.max() ?? 0
    let elapsed =
      node.clock.steadyMilliseconds(at: world.now) - node.clock.steadyMilliseconds(at: since)
    try ledger.restart(
      node,
      stoppedAt: isUnsaved ? nil : node.clock.steadyMilliseconds(at: stop),
      postponement: min(setBack, elapsed), mayBeEarly: possible.contains { $0 < now })
    changes[node.index] = nil
    for row in ledger.timers.keys { changes[node.index, default: [:]][row] = world.now }
    expectAlarms(at: node, in: world)
  }

  private func isJudged(_ node: SimulatedNode, in world: World) -> Bool {
    node.isRunning && node.reads && !world.isRevoked(node)
      && !world.faulty.doubtful.contains(node.index)
  }

  // MARK: Comparison

  /// Schedules an examination for the moments by which alarms have to be raised.
  private func expectAlarms(at node: SimulatedNode, in world: World) {
    let now = node.clock.steadyMilliseconds(at: world.now)
    for row in changes[node.index, default: [:]].filter({ $0.value == world.now }).keys.sorted() {
      guard let timer = ledger.timers[row], !timer.isUncertain,
        let expected = ledger.expected(row, at: node, in: world.nodes), expected.isRunning
      else { continue }
      for due in [expected.latest, expected.latest + timer.graceMilliseconds] {
        let time = due + Self.reviewMilliseconds + Self.roundingMilliseconds
        guard time > now else { continue }
        world.schedule.push(
          .examineCheckIns(node.index), at: node.clock.time(ofSteady: time))
      }
    }
  }

  func look(_ world: World) throws {
    guard isActive else { return }
    for node in world.nodes where isJudged(node, in: world) {
      try receive(nil, at: node, in: world)
      try examine(node, in: world)
    }
  }

  func conclude(_ world: World) throws { try look(world) }

  private func checkRaised(_ alert: Alert, at node: SimulatedNode, in world: World) throws {
    let row = alert.id.row
    guard let timer = ledger.timers[row], !timer.isUncertain,
      let expected = ledger.expected(row, at: node, in: world.nodes)
    else { return }
    let now = node.clock.steadyMilliseconds(at: world.now)
    guard expected.isRunning else {
      return world.report(Self.wrong, "\(node.name) raises an alarm for \(row.short), which ended")
    }
    guard expected.isPrecise, !expected.mayBeEarly, alert.level == .danger else { return }
    let early = expected.due + timer.graceMilliseconds - now
    if early > Self.roundingMilliseconds {
      world.report(Self.wrong, "\(node.name) raises the alarm for \(row.short) \(early) ms early")
    }
  }

  /// Compares what a node shows of all timers, and the alarms of its last review.
  func examine(_ node: SimulatedNode, in world: World) throws {
    guard isActive, world.phase != .warmUp, isJudged(node, in: world) else { return }
    let clock = node.clock.reading(at: world.now)
    let raised = try node.change { try $0.queries.raisedAlerts() } ?? []
    let shown = try node.change { try $0.statuses(now: clock).checkIns() } ?? []
    let ids = raised.flatMap { alert in
      ([alert.id] + alert.members).filter { $0.kind == .checkIn }.map { ($0.row, alert.level) }
    }
    let levels = Dictionary(ids, uniquingKeysWith: max)
    let summaries = Dictionary(shown.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for row in ledger.timers.keys.sorted() {
      guard let timer = ledger.timers[row], !timer.isUncertain,
        let expected = ledger.expected(row, at: node, in: world.nodes)
      else { continue }
      compared += 1
      compare(summaries[row], with: expected, of: timer, row, at: node, in: world)
      compare(levels[row], with: expected, of: timer, row, at: node, in: world)
    }
  }

  private func compare(
    _ summary: CheckInSummary?, with expected: CheckInLedger.Expected,
    of timer: CheckInLedger.Timer, _ row: RowID, at node: SimulatedNode, in world: World
  ) {
    let (now, state) = (node.clock.steadyMilliseconds(at: world.now), summary?.state ?? .done)
    guard expected.isRunning else {
      if state != .done {
        world.report(Self.wrong, "\(node.name) shows \(row.short) as \(state), which ended")
      }
      return
    }
    let since = now - expected.latest - Self.roundingMilliseconds
    let least: CheckInState =
      since >= timer.graceMilliseconds ? .unaccounted : since >= 0 ? .overdue : .running
    if least >= .overdue { alarms += 1 }
    if state < least {
      world.report(
        Self.missed, "\(node.name) shows \(row.short) as \(state), \(since) ms after the due time")
    }
    guard let summary, let latest = summary.latestSeconds else { return }
    if latest * 1000 - 1000 > expected.latest - now + Self.roundingMilliseconds {
      world.report(Self.missed, "\(node.name) expects \(row.short) to be due in \(latest) s")
    }
    guard expected.isPrecise, !expected.mayBeEarly else { return }
    let left = expected.due - now - Self.roundingMilliseconds
    let most: CheckInState =
      left + timer.graceMilliseconds > 0 ? (left > 0 ? .due : .overdue) : .unaccounted
    if state > most {
      world.report(
        Self.wrong, "\(node.name) shows \(row.short) as \(state), \(left) ms before the due time")
    }
    let isTooEarly = latest * 1000 + 1000 < left
    let isTooLate = summary.earliestSeconds.map {
      $0 * 1000 - 1000 > left + 2 * Self.roundingMilliseconds
    }
    if isTooEarly || isTooLate == true {
      let from = summary.earliestSeconds.map { "\($0)" } ?? "…"
      world.report(
        Self.interval,
        "\(node.name) shows \(row.short) due in \(from) to \(latest) s, not in \(left) ms")
    }
  }

  /// - Parameter level: of the alarm that the last review raised; nil for none.
  private func compare(
    _ level: AlertLevel?, with expected: CheckInLedger.Expected, of timer: CheckInLedger.Timer,
    _ row: RowID, at node: SimulatedNode, in world: World
  ) {
    // A commit that fails raises nothing.
    guard !namesWithDisks.contains(node.name) else { return }
    let settled = changes[node.index]?[row] ?? Instant(microseconds: 0)
    let since = max(settled, node.machine.turnedOnAt)
    guard world.now.milliseconds(since: since) > Self.reviewMilliseconds else { return }
    guard expected.isRunning else {
      if level != nil {
        world.report(Self.wrong, "\(node.name) keeps the alarm for \(row.short), which ended")
      }
      return
    }
    let late =
      node.clock.steadyMilliseconds(at: world.now) - expected.latest - Self.reviewMilliseconds
      - Self.roundingMilliseconds
    guard late >= 0 else { return }
    let least: AlertLevel = late >= timer.graceMilliseconds ? .danger : .warning
    if level.map({ $0 < least }) ?? true {
      world.report(
        Self.missed, "\(node.name) raised no \(least) alarm for \(row.short), \(late) ms too late")
    }
  }
}
