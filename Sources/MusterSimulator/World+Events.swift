import MusterModel
import MusterReplica

/// The effect of each event.
extension World {
  func take(_ event: ScheduledEvent) throws {
    switch event {
    case .arrival(let index, let bytes, let from): arrive(bytes, from: from, at: nodes[index])
    case .read(let index): try read(at: nodes[index])
    case .alarm(let index): try soundAlarm(of: nodes[index])
    case .fix(let index): try takeFix(at: nodes[index])
    case .work(let kind): try work(kind)
    case .timeline(let event): try take(event)
    case .wake(let index, let outage):
      if nodes[index].machine.outage == outage { try wake(nodes[index]) }
    case .flap(let groups, let isCut, let every, let until):
      flap(groups, isCut: isCut, everyMilliseconds: every, until: until)
    case .attack(let attack, let index, let every, let until):
      try attackers.attack(
        attack, by: nodes[index], everyMicroseconds: every, until: until, in: self)
    case .intrude(let noise, let every, let until):
      attackers.intrude(noise: noise, everyMicroseconds: every, until: until, in: self)
    case .repair(let index, let fault): repair(nodes[index], fault: fault)
    case .look: try look()
    case .examine: try checkers.dangers.examine(self)
    case .review(let index): try review(by: nodes[index])
    case .examineCheckIns(let index): try checkers.checkIns.examine(nodes[index], in: self)
    }
  }

  // MARK: People

  private func work(_ kind: WorkKind) throws {
    guard phase == .story else { return }
    if let next = workload.next(kind, after: now) { schedule.push(.work(kind), at: next) }
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
    schedule.push(.fix(node.index), at: fixTime(after: now, isFirst: false))
    guard node.isRunning else { return }
    for fix in node.positions.fixes(at: now) { try ingest(fix, at: node) }
  }

  // MARK: Faults

  private func take(_ event: TimelineEvent) throws {
    record.recording?.note(event, atMilliseconds: storyMilliseconds)
    switch event {
    case .cut(let groups): cut(groups)
    case .heal:
      network.heal()
      checkers.dangers.healed(in: self)
    case .block(let from, let to): network.block(from: node(from).index, to: node(to).index)
    case .flap(let groups, let every, let until):
      flap(
        groups, isCut: true, everyMilliseconds: every,
        until: storyStart.advanced(byMilliseconds: until))
    case .crash(let name, let duration):
      try crash(node(name))
      record.fire(.crash)
      wakeLater(node(name), after: duration)
    case .sleep(let name, let duration):
      sleep(node(name))
      record.fire(.sleep)
      wakeLater(node(name), after: duration)
    case .jump(let name, let milliseconds):
      node(name).clock.jump(byMilliseconds: milliseconds)
      record.fire(.jump)
    case .readdress(let name): try readdress(node(name))
    case .backup(let name): try node(name).storage.backUp()
    case .restore(let name):
      try restore(node(name))
      record.fire(.restore)
    case .burst(let names, let reports, let hazards, let together):
      try burst(names, reports: reports, hazards: hazards, together: together)
    case .weather(let loss): network.weatherPerMillion = loss
    case .insider(let name, let every, let until):
      try attack(.cheat, by: name, everyMicroseconds: every * 1000, untilMilliseconds: until)
    case .forger(let name, let every, let until):
      try attack(.forge, by: name, everyMicroseconds: every * 1000, untilMilliseconds: until)
    case .powerCut(let name, let change, let outage):
      node(name).storage.schedulePowerCut(inChange: change, outageMilliseconds: outage)
    case .diskFull(let name, let duration):
      repairLater(node(name), fault: node(name).storage.fill(), after: duration)
    case .diskFails(let name, let duration):
      repairLater(node(name), fault: node(name).storage.fail(), after: duration)
    case .withhold(let name, let until):
      attackers.withhold(node(name), until: storyStart.advanced(byMilliseconds: until))
    case .flood(let name, let perSecond, let until):
      try attack(
        .flood, by: name, everyMicroseconds: 1_000_000 / perSecond, untilMilliseconds: until)
    case .equivocate(let name): try attackers.equivocate(node(name), in: self)
    case .overfill(let name, let every, let until):
      try attack(.overfill, by: name, everyMicroseconds: every * 1000, untilMilliseconds: until)
    case .revoke(let name, let by): try revocations.revoke(node(name), by: node(by), in: self)
    case .council(let names): try revocations.found(names.map(node), in: self)
    case .usurp(let name): try revocations.usurp(node(name), in: self)
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

  private func attack(
    _ attack: MemberAttack, by name: String, everyMicroseconds: Int64, untilMilliseconds: Int64
  ) throws {
    try attackers.attack(
      attack, by: node(name), everyMicroseconds: everyMicroseconds,
      until: storyStart.advanced(byMilliseconds: untilMilliseconds), in: self)
  }

  private func intrude(_ noise: Bool, _ perSecond: Int64, _ untilMilliseconds: Int64) {
    schedule.push(
      .intrude(
        noise: noise, everyMicroseconds: 1_000_000 / perSecond,
        until: storyStart.advanced(byMilliseconds: untilMilliseconds)), at: now)
  }

  private func cut(_ groups: [[String]]) {
    checkers.dangers.partitioned()
    network.cut(into: groups.map { $0.map { node($0).index } })
  }

  private func flap(
    _ groups: [[String]], isCut: Bool, everyMilliseconds: Int64, until: Instant
  ) {
    guard phase == .story else { return }
    guard now < until else { return network.heal() }
    if isCut { cut(groups) } else { network.heal() }
    schedule.push(
      .flap(groups, isCut: !isCut, everyMilliseconds: everyMilliseconds, until: until),
      afterMilliseconds: everyMilliseconds)
  }

  func wakeLater(_ node: SimulatedNode, after milliseconds: Int64?) {
    guard let milliseconds else { return }
    schedule.push(
      .wake(node.index, outage: node.machine.outage), afterMilliseconds: milliseconds)
  }

  private func readdress(_ node: SimulatedNode) throws {
    mesh.readdress(node)
    record.fire(.move)
    guard node.isRunning else { return }
    try command(node) { replica, clock in ((), try replica.linkUp(now: clock)) }
  }

  // MARK: Disks

  /// - Parameter fault: nil for a node without a disk.
  private func repairLater(_ node: SimulatedNode, fault: Int?, after milliseconds: Int64) {
    guard let fault else { return }
    schedule.push(.repair(node.index, fault: fault), afterMilliseconds: milliseconds)
  }

  /// Ends a fault, unless a later one is active.
  private func repair(_ node: SimulatedNode, fault: Int) {
    guard node.storage.isNewest(fault) else { return }
    noteDiskFaults(of: node)
    node.storage.endTransientFaults()
  }

  /// Ends all faults, and cancels scheduled power cuts.
  func repairDisks() {
    for node in nodes {
      noteDiskFaults(of: node)
      node.storage.endFaults()
    }
  }

  private func noteDiskFaults(of node: SimulatedNode) {
    for knob in node.storage.takeFaults() { record.fire(knob) }
  }

  // MARK: Checks

  /// The number of checks in a story, and the range of their interval.
  private static let looks: Int64 = 200
  private static let looksEveryMilliseconds: ClosedRange<Int64> = 5000...600_000

  private func look() throws {
    guard phase == .story else { return }
    try checkers.look(self)
    try record.recording?.look(at: self, isLast: false)
    onProgress?(self)
    let range = Self.looksEveryMilliseconds
    let pause = min(
      max(scenario.durationMilliseconds / Self.looks, range.lowerBound), range.upperBound)
    schedule.push(.look, afterMilliseconds: pause)
  }
}
