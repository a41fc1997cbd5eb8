import MusterModel
import MusterReplica

/// The effect of each event.
extension World {
  func take(_ happening: Happening) throws {
    switch happening {
    case .arrival(let index, let bytes, let from): arrive(bytes, from: from, at: nodes[index])
    case .read(let index): try read(at: nodes[index])
    case .alarm(let index): try soundAlarm(of: nodes[index])
    case .fix(let index): try takeFix(at: nodes[index])
    case .work(let kind): try work(kind)
    case .timeline(let event): try take(event)
    case .wake(let index, let outage):
      if nodes[index].outage == outage { try wake(nodes[index]) }
    case .flap(let groups, let isCut, let every, let until):
      flap(groups, isCut: isCut, everyMilliseconds: every, until: until)
    case .cheat(let index, let every, let until):
      try cheat(nodes[index], everyMilliseconds: every, until: until)
    case .forge(let index, let every, let until):
      try forge(nodes[index], everyMilliseconds: every, until: until)
    case .overfill(let index, let every, let until):
      try overfill(nodes[index], everyMilliseconds: every, until: until)
    case .intrude(let noise, let every, let until):
      guard now < until, phase == .story else { return }
      intrude(noise: noise)
      queue.push(
        .intrude(noise: noise, everyMicroseconds: every, until: until),
        at: Instant(microseconds: now.microseconds + every))
    case .flood(let index, let every, let until):
      try flood(nodes[index], everyMicroseconds: every, until: until)
    case .mend(let index, let fault): mend(nodes[index], fault: fault)
    case .look: try look()
    case .examine: try dangers.examine(self)
    }
  }

  // MARK: People

  private func work(_ kind: WorkKind) throws {
    guard phase == .story else { return }
    if let next = workload.next(kind, after: now) { queue.push(.work(kind), at: next) }
    guard let node = workload.actor(for: kind, among: nodes),
      let act = workload.act(kind, by: node, among: nodes, now: now)
    else { return }
    try perform(act, at: node)
  }

  func fixTime(after time: Instant, isFirst: Bool) -> Instant {
    let interval = scenario.workload.positionsEveryMilliseconds ?? 0
    return time.advanced(byMilliseconds: isFirst ? random.within(1...interval) : interval)
  }

  private func takeFix(at node: SimulatedNode) throws {
    guard phase == .story else { return }
    queue.push(.fix(node.index), at: fixTime(after: now, isFirst: false))
    guard node.isRunning else { return }
    let fix = node.movement.fix(at: now)
    // A node at rest needs no new fix: the location filter would drop it.
    guard node.movement.isMoving(at: now) || node.lastFix == nil else { return }
    node.lastFix = now
    try ingest(fix, at: node)
    try ingestLate(fix, at: node)
  }

  /// One fix of this many arrives a second time, as from a receiver with a buffer.
  private static let fixesPerLateOne = 6

  private func ingestLate(_ fix: Fix, at node: SimulatedNode) throws {
    node.fixesTaken += 1
    switch node.fixesTaken % Self.fixesPerLateOne {
    case Self.fixesPerLateOne / 2: node.fixKeptBack = fix
    case 0: if let late = node.fixKeptBack { try ingest(late, at: node) }
    default: break
    }
  }

  // MARK: Faults

  private func take(_ event: TimelineEvent) throws {
    recording?.note(event, atMilliseconds: storyMilliseconds)
    switch event {
    case .cut(let groups): cut(groups)
    case .heal:
      network.heal()
      dangers.healed(in: self)
    case .block(let from, let to): network.block(from: node(from).index, to: node(to).index)
    case .flap(let groups, let every, let until):
      flap(
        groups, isCut: true, everyMilliseconds: every,
        until: storyStart.advanced(byMilliseconds: until))
    case .crash(let name, let duration):
      try crash(node(name))
      tally.fire(.crash)
      wakeLater(node(name), after: duration)
    case .sleep(let name, let duration):
      sleep(node(name))
      tally.fire(.sleep)
      wakeLater(node(name), after: duration)
    case .jump(let name, let milliseconds):
      node(name).clock.jump(byMilliseconds: milliseconds)
      tally.fire(.jump)
    case .readdress(let name): try readdress(node(name))
    case .backup(let name): try backUp(node(name))
    case .restore(let name):
      try restore(node(name))
      tally.fire(.restore)
    case .burst(let names, let reports, let hazards, let together):
      try burst(names, reports: reports, hazards: hazards, together: together)
    case .weather(let loss): network.weatherPerMillion = loss
    case .insider(let name, let every, let until):
      try cheat(
        node(name), everyMilliseconds: every,
        until: storyStart.advanced(byMilliseconds: until))
    case .forger(let name, let every, let until):
      try forge(
        node(name), everyMilliseconds: every,
        until: storyStart.advanced(byMilliseconds: until))
    case .powerCut(let name, let change, let outage):
      orderPowerCut(of: node(name), inChange: change, outage: outage)
    case .diskFull(let name, let duration): fill(node(name), milliseconds: duration)
    case .diskFails(let name, let duration): breakDisk(of: node(name), milliseconds: duration)
    case .withhold(let name, let until):
      node(name).withholdsUntil = storyStart.advanced(byMilliseconds: until)
    case .flood(let name, let perSecond, let until):
      try flood(
        node(name), everyMicroseconds: 1_000_000 / perSecond,
        until: storyStart.advanced(byMilliseconds: until))
    case .equivocate(let name): try equivocate(node(name))
    case .overfill(let name, let every, let until):
      try overfill(
        node(name), everyMilliseconds: every,
        until: storyStart.advanced(byMilliseconds: until))
    case .revoke(let name, let by): try revoke(node(name), by: node(by))
    case .council(let names): try makeCouncil(of: names)
    case .usurp(let name): try usurp(node(name))
    case .replay(let perSecond, let until): intrude(false, perSecond, until)
    case .garbage(let perSecond, let until): intrude(true, perSecond, until)
    }
  }

  private func burst(
    _ names: [String], reports: Int, hazards: Bool, together: Int
  ) throws {
    for first in stride(from: 0, to: reports, by: together) {
      let acts = (first..<min(first + together, reports)).map { _ in
        workload.report(hazard: hazards)
      }
      let node = node(names[first / together % names.count])
      if acts.count == 1 { try perform(acts[0], at: node) } else { try perform(acts, at: node) }
    }
  }

  private func intrude(_ noise: Bool, _ perSecond: Int64, _ untilMilliseconds: Int64) {
    queue.push(
      .intrude(
        noise: noise, everyMicroseconds: 1_000_000 / perSecond,
        until: storyStart.advanced(byMilliseconds: untilMilliseconds)), at: now)
  }

  /// An unauthorized operation is not an acknowledged write: no node may show it.
  private func cheat(
    _ node: SimulatedNode, everyMilliseconds: Int64, until: Instant
  ) throws {
    guard now < until, phase == .story else { return }
    queue.push(
      .cheat(node.index, everyMilliseconds: everyMilliseconds, until: until),
      at: now.advanced(byMilliseconds: everyMilliseconds))
    guard node.isRunning else { return }
    let (operations, lane) = try insider.attempt(by: node, among: nodes)
    tally.fire(.insider)
    try command(node) { replica, clock in
      ((), try replica.author(unchecked: operations, lane: lane, now: clock))
    }
  }

  private func cut(_ groups: [[String]]) {
    dangers.partitioned()
    network.cut(into: groups.map { $0.map { node($0).index } })
  }

  private func flap(
    _ groups: [[String]], isCut: Bool, everyMilliseconds: Int64, until: Instant
  ) {
    guard phase == .story else { return }
    guard now < until else { return network.heal() }
    if isCut { cut(groups) } else { network.heal() }
    queue.push(
      .flap(groups, isCut: !isCut, everyMilliseconds: everyMilliseconds, until: until),
      at: now.advanced(byMilliseconds: everyMilliseconds))
  }

  func wakeLater(_ node: SimulatedNode, after milliseconds: Int64?) {
    guard let milliseconds else { return }
    queue.push(
      .wake(node.index, outage: node.outage), at: now.advanced(byMilliseconds: milliseconds))
  }

  private func readdress(_ node: SimulatedNode) throws {
    indexByEndpoint[node.endpoint] = nil
    node.endpoint = SimulatedNode.endpoint(
      index: node.index, move: Int(node.endpoint.address[1]) + 1)
    indexByEndpoint[node.endpoint] = node.index
    tally.fire(.move)
    guard node.isRunning else { return }
    try command(node) { replica, clock in ((), try replica.linkUp(now: clock)) }
  }

  // MARK: Checks

  /// The number of checks in a story, and the range of their interval.
  private static let looks: Int64 = 200
  private static let looksEveryMilliseconds: ClosedRange<Int64> = 5000...600_000

  private func look() throws {
    guard phase == .story else { return }
    for checker in checkers { try checker.look(self) }
    try recording?.look(at: self, isLast: false)
    onProgress?(self)
    let range = Self.looksEveryMilliseconds
    let pause = min(
      max(scenario.durationMilliseconds / Self.looks, range.lowerBound), range.upperBound)
    queue.push(.look, at: now.advanced(byMilliseconds: pause))
  }
}
