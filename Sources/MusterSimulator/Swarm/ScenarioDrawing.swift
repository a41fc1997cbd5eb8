import MusterModel

extension Scenario {
  /// Returns a random scenario: participants, network, workload and faults. The same seed and
  /// length give the same scenario.
  ///
  /// - Parameter minutes: the story's length; nil to draw that too.
  public static func drawn(seed: UInt64, minutes: Int64?) -> Scenario {
    var drawing = ScenarioDrawing(seed: seed)
    return drawing.draw(minutes: minutes)
  }
}

/// The random choices of a swarm scenario.
private struct ScenarioDrawing {
  private var random: RandomStream
  private var scenario: Scenario

  init(seed: UInt64) {
    random = RandomStream(seed: seed, named: "drawing")
    scenario = Scenario(name: "swarm-\(seed)", nodes: [])
    scenario.seed = seed
  }

  mutating func draw(minutes: Int64?) -> Scenario {
    let drawn = random.within(2...6)
    scenario.durationMilliseconds = (minutes ?? drawn) * 60_000
    scenario.warmUpMilliseconds = 10_000
    scenario.settleMilliseconds = 180_000
    scenario.everyFaultFires = false
    drawNodes()
    drawNetwork()
    drawWorkload()
    drawTimeline()
    drawSabotage()
    drawRevocations()
    drawClone()
    drawDirection()
    drawWatching()
    drawCheckIns()
    drawOverfilling()
    drawLostAdmitter()
    drawCouncil()
    drawPhotos()
    drawInsiders()
    drawRevokedInsider()
    scenario.story = "Drawn by the swarm with seed \(scenario.seed): \(summary)."
    return scenario
  }

  private var summary: String {
    let faults = scenario.configuredKnobs.map(\.rawValue).joined(separator: ", ")
    return "\(scenario.nodes.count) nodes, \(scenario.durationMilliseconds / 60_000) minutes, "
      + (faults.isEmpty ? "no fault" : faults)
  }

  private mutating func chance(_ percent: Int64) -> Bool { random.below(100) < percent }

  private mutating func drawNodes() {
    let count = chance(80) ? random.within(2...6) : random.within(7...12)
    let names = [
      "anna", "ben", "cleo", "dora", "emil", "fay", "gus", "hana", "ivo", "jana", "karl", "lea",
    ]
    for index in 0..<Int(count) {
      var role = Role.member
      if index == 0 || chance(12) { role = .command } else if chance(10) { role = .relay }
      if role == .member, chance(10) { role = .observer }
      var node = NodePlan(name: names[index], role: role)
      if chance(50) {
        node.movement = .walk(
          acrossMetres: random.within(500...3000), millimetresPerSecond: random.within(1000...9000))
      }
      if index > 0, chance(15) {
        node.joinsAtMilliseconds = random.below(scenario.durationMilliseconds)
      }
      if chance(15) { node.skewMilliseconds = random.within(-10...10) * 31_557_600_000 + 60_000 }
      if chance(10) { node.driftPerMillion = random.within(1...50_000) * (chance(50) ? 1 : -1) }
      scenario.nodes.append(node)
    }
  }

  private mutating func drawNetwork() {
    var conditions = LinkConditions()
    if chance(60) { conditions.lossPerMillion = random.within(1...30) * 10_000 }
    if chance(25) { conditions.duplicatePerMillion = random.within(1...30) * 10_000 }
    if chance(25) { conditions.reorderPerMillion = random.within(1...30) * 10_000 }
    if chance(15) { conditions.corruptPerMillion = random.within(1...20) * 1000 }
    let least = random.within(0...30)
    conditions.delayMilliseconds = least...(least + random.within(1...200))
    scenario.network.conditions = conditions
    if chance(30) {
      scenario.network.multicast = false
      connect()
    }
    if chance(15) {
      scenario.network.medium = .shared(bitsPerSecond: random.within(64...1000) * 1000)
    }
    if chance(10) { scenario.network.rangeMetres = random.within(300...2000) }
    guard chance(15), let from = anybody(), let to = anybody(), from != to else { return }
    var bad = conditions
    bad.lossPerMillion = random.within(30...70) * 10_000
    scenario.network.links = [LinkPlan(from: from, to: to, oneWay: chance(50), conditions: bad)]
    // The promise for a path with 70 % loss that persists after the heal.
    if bad.lossPerMillion > 500_000 { scenario.settleMilliseconds = 300_000 }
  }

  /// Each node gets the address of a node that is present from the start.
  private mutating func connect() {
    let shape = random.below(3)
    for index in scenario.nodes.indices where index > 0 {
      let there = scenario.nodes[..<index].filter { $0.joinsAtMilliseconds == 0 }
      let other = shape == 0 ? there.first : shape == 1 ? there.last : random.element(of: there)
      if let other { scenario.nodes[index].peers = [other.name] }
    }
  }

  private mutating func drawWorkload() {
    if chance(70) { scenario.workload.positionsEveryMilliseconds = random.within(5...60) * 1000 }
    for kind in WorkKind.allCases
    where !WorkKind.laterKinds.contains(kind) && kind != .photos
      && chance(kind == .reports ? 90 : 60)
    {
      scenario.workload.everyMilliseconds[kind] = random.within(3...60) * 1000
    }
    scenario.workload.fences = Int(random.below(5))
  }

  /// In one story of eight command issues directives; from a separate random stream.
  private mutating func drawDirection() {
    var dice = RandomStream(seed: scenario.seed, named: "directing")
    guard dice.below(8) == 0 else { return }
    for kind in WorkKind.directing {
      scenario.workload.everyMilliseconds[kind] = dice.within(5...60) * 1000
    }
  }

  /// In one story of eight, devices publish for phones, command changes sampling settings, fences
  /// have dwell times and all devices evaluate alerts; from a separate random stream.
  private mutating func drawWatching() {
    var dice = RandomStream(seed: scenario.seed, named: "watching")
    guard dice.below(8) == 0 else { return }
    for kind in WorkKind.watching {
      scenario.workload.everyMilliseconds[kind] = dice.within(2...30) * 1000
    }
  }

  /// In one story of eight people add photos; from a separate random stream.
  private mutating func drawPhotos() {
    var dice = RandomStream(seed: scenario.seed, named: "photos")
    guard dice.below(8) == 0, scenario.workload.everyMilliseconds[.reports] != nil else { return }
    scenario.workload.everyMilliseconds[.photos] = dice.within(5...60) * 1000
  }

  /// In one story of eight people check in; from a separate random stream.
  private mutating func drawCheckIns() {
    var dice = RandomStream(seed: scenario.seed, named: "check-ins drawn")
    guard dice.below(8) == 0 else { return }
    for kind in WorkKind.checkingIn {
      scenario.workload.everyMilliseconds[kind] = dice.within(5...40) * 1000
    }
  }

  // MARK: Faults

  private mutating func anybody() -> String? { random.element(of: scenario.nodes)?.name }

  private mutating func presentNode() -> String? {
    random.element(of: scenario.nodes.filter { $0.joinsAtMilliseconds == 0 })?.name
  }

  private mutating func drawTimeline() {
    var timeline: [TimelineEntry] = []
    for _ in 0..<random.below(8) {
      let at = random.below(scenario.durationMilliseconds)
      if let event = event(at: at) {
        timeline.append(TimelineEntry(atMilliseconds: at, event: event))
      }
      guard case .backup(let name)? = timeline.last?.event else { continue }
      let later = random.within(at...scenario.durationMilliseconds)
      timeline.append(TimelineEntry(atMilliseconds: later, event: .restore(name)))
    }
    scenario.timeline = timeline
    sortTimeline()
  }

  private mutating func sortTimeline() {
    scenario.timeline = scenario.timeline.enumerated().sorted {
      ($0.element.atMilliseconds, $0.offset) < ($1.element.atMilliseconds, $1.offset)
    }.map(\.element)
  }

  /// In every other scenario; from a separate random stream, so that the rest is unaffected.
  private mutating func drawSabotage() {
    random = RandomStream(seed: scenario.seed, named: "sabotage")
    guard chance(50) else { return }
    for _ in 0..<random.within(1...3) {
      let at = random.below(scenario.durationMilliseconds)
      guard let event = chance(50) ? diskFault() : adversary(at: at) else { continue }
      scenario.timeline.append(TimelineEntry(atMilliseconds: at, event: event))
    }
    sortTimeline()
  }

  /// In every eighth scenario, from a separate random stream.
  private mutating func drawRevocations() {
    random = RandomStream(seed: scenario.seed, named: "revocations")
    guard chance(13) else { return }
    let commanders = scenario.nodes.filter { $0.role == .command }.map(\.name)
    let others = scenario.nodes.dropFirst().map(\.name)
    for _ in 0..<random.within(1...2) {
      guard let by = random.element(of: commanders), let name = random.element(of: others),
        by != name
      else { continue }
      let at = random.below(scenario.durationMilliseconds)
      scenario.timeline.append(
        TimelineEntry(atMilliseconds: at, event: .revoke(name, by: by)))
    }
    sortTimeline()
  }

  /// A device is cloned; from a separate random stream, and rarely, since forked logs have weaker
  /// promises.
  private mutating func drawClone() {
    random = RandomStream(seed: scenario.seed, named: "clone")
    guard chance(5),
      let original = random.element(of: Array(scenario.nodes.dropFirst())),
      original.joinsAtMilliseconds < scenario.durationMilliseconds
    else { return }
    var clone = NodePlan(name: "clone", role: original.role)
    clone.cloneOf = original.name
    clone.peers = original.peers
    clone.joinsAtMilliseconds = random.within(
      original.joinsAtMilliseconds + 1...scenario.durationMilliseconds)
    scenario.nodes.append(clone)
  }

  /// In one story of ten a member, or one of several commanders, exhausts its quotas; from a
  /// separate random stream.
  private mutating func drawOverfilling() {
    random = RandomStream(seed: scenario.seed, named: "overfilling")
    guard chance(10) else { return }
    let able = scenario.nodes.dropFirst().filter {
      ($0.role == .member || $0.role == .command) && $0.cloneOf == nil
        && !scenario.nodes.map(\.cloneOf).contains($0.name)
    }
    guard let node = random.element(of: Array(able)) else { return }
    let at = random.below(scenario.durationMilliseconds / 2)
    scenario.timeline.append(
      TimelineEntry(
        atMilliseconds: at,
        event: .overfill(
          node.name, everyMilliseconds: random.within(1...10) * 500,
          untilMilliseconds: scenario.durationMilliseconds)))
    sortTimeline()
  }

  /// In one story of twelve a device joins that was admitted by a commander that is destroyed; from
  /// a separate random stream.
  private mutating func drawLostAdmitter() {
    random = RandomStream(seed: scenario.seed, named: "lost admitter")
    guard chance(8) else { return }
    scenario.nodes.append(NodePlan(name: "admitter", role: .command))
    var newcomer = NodePlan(name: "newcomer", role: .member)
    newcomer.admittedBy = "admitter"
    newcomer.joinsAtMilliseconds = random.within(0...scenario.durationMilliseconds)
    if !scenario.network.multicast { newcomer.peers = [scenario.nodes[0].name] }
    scenario.nodes.append(newcomer)
  }

  /// In one scenario of three one or two members are insiders; from a separate random stream.
  private mutating func drawInsiders() {
    random = RandomStream(seed: scenario.seed, named: "insiders")
    guard random.below(3) == 0 else { return }
    let cloned = scenario.nodes.compactMap(\.cloneOf)
    var members = scenario.nodes.filter {
      $0.role == .member && $0.cloneOf == nil && !cloned.contains($0.name)
    }.map(\.name)
    for _ in 0...random.below(2) {
      guard let name = random.element(of: members) else { break }
      members.removeAll { $0 == name }
      scenario.timeline.append(
        TimelineEntry(
          atMilliseconds: random.below(scenario.durationMilliseconds / 2),
          event: .insider(
            name, everyMilliseconds: random.within(2...10) * 1000,
            untilMilliseconds: scenario.durationMilliseconds)))
    }
    sortTimeline()
  }

  /// In every other scenario with insiders the founder revokes one; from a separate random stream.
  /// Not beside clones and councils, whose revocations have other promises.
  private mutating func drawRevokedInsider() {
    random = RandomStream(seed: scenario.seed, named: "revoked insiders")
    let insiders = scenario.namesOfInsiders.sorted()
    guard chance(50), let name = random.element(of: insiders), scenario.council.isEmpty,
      !scenario.nodes.contains(where: { $0.cloneOf != nil }), scenario.namesThatFork.isEmpty,
      scenario.nodes.first(where: { $0.name == name })?.role == .member
    else { return }
    let at = random.within(scenario.durationMilliseconds / 3...scenario.durationMilliseconds)
    scenario.timeline.append(
      TimelineEntry(atMilliseconds: at, event: .revoke(name, by: scenario.nodes[0].name)))
    sortTimeline()
  }

  /// In one scenario of ten three commanders are a council, the laptop of one is stolen, and the
  /// other two vote to revoke it; from a separate random stream. In other scenarios with
  /// revocations it would be unclear which device the council has to revoke.
  private mutating func drawCouncil() {
    random = RandomStream(seed: scenario.seed, named: "council")
    let isClone = scenario.nodes.contains { $0.cloneOf != nil }
    guard chance(10), scenario.nodes.count >= 3, scenario.namesRevoked.isEmpty, !isClone,
      scenario.namesThatFork.isEmpty
    else { return }
    let names = scenario.nodes.prefix(3).map(\.name)
    // With a member that is destroyed, the two others would need its vote.
    guard scenario.namesLost.isDisjoint(with: names) else { return }
    // A commander is allowed to do what these do.
    let hasCheat = scenario.timeline.contains { entry in
      switch entry.event {
      case .insider(let name, _, _), .forger(let name, _, _), .flood(let name, _, _):
        names.contains(name)
      default: false
      }
    }
    guard !hasCheat else { return }
    for index in 1...2 {
      scenario.nodes[index].role = .command
      scenario.nodes[index].joinsAtMilliseconds = 0
    }
    guard let thief = random.element(of: names) else { return }
    let at = random.within(scenario.durationMilliseconds / 4...scenario.durationMilliseconds)
    scenario.timeline.insert(
      TimelineEntry(atMilliseconds: 0, event: .council(names)), at: 0)
    scenario.timeline.append(TimelineEntry(atMilliseconds: at, event: .usurp(thief)))
    for name in names where name != thief {
      let later = random.within(at...scenario.durationMilliseconds)
      scenario.timeline.append(
        TimelineEntry(atMilliseconds: later, event: .revoke(thief, by: name)))
    }
    sortTimeline()
  }

  private mutating func diskFault() -> TimelineEvent? {
    guard let name = presentNode() else { return nil }
    let outage = random.within(1...120) * 1000
    switch random.below(4) {
    case 0: return .diskFull(name, forMilliseconds: outage)
    case 1: return .diskFails(name, forMilliseconds: outage)
    default:
      return .powerCut(
        name, inChange: random.within(1...200), forMilliseconds: chance(80) ? outage : nil)
    }
  }

  private mutating func event(at: Int64) -> TimelineEvent? {
    let outage: Int64? = chance(80) ? random.within(1...120) * 1000 : nil
    guard let name = presentNode(), let other = anybody() else { return nil }
    switch random.below(15) {
    case 0, 1, 2: return .cut(sides())
    case 3: return .heal
    case 4: return name == other ? nil : .block(from: name, to: other)
    case 5:
      return .flap(
        sides(), everyMilliseconds: random.within(1...60) * 1000,
        untilMilliseconds: random.within(at + 1...scenario.durationMilliseconds + 1))
    case 6, 7: return .crash(name, forMilliseconds: outage)
    case 8: return .sleep(name, forMilliseconds: outage)
    case 9: return .jump(name, byMilliseconds: random.within(-30...30) * 86_400_000)
    case 10: return .readdress(name)
    case 11: return .backup(name)
    case 12:
      guard let member = scenario.nodes.first(where: { $0.role == .member }),
        at < scenario.durationMilliseconds
      else { return nil }
      return .insider(
        member.name, everyMilliseconds: random.within(1...20) * 1000,
        untilMilliseconds: scenario.durationMilliseconds)
    case 13:
      let reports = Int(random.within(5...60))
      return .burst(
        [name], reports: reports, hazards: chance(30), together: reports > 40 ? 8 : 1)
    default:
      let until = scenario.durationMilliseconds
      guard at < until else { return nil }
      return chance(50)
        ? .replay(perSecond: random.within(1...20), untilMilliseconds: until)
        : .garbage(perSecond: random.within(1...50), untilMilliseconds: until)
    }
  }

  /// A member with real keys and a modified program.
  private mutating func adversary(at: Int64) -> TimelineEvent? {
    let until = scenario.durationMilliseconds
    guard let name = scenario.nodes.last(where: { $0.role == .member })?.name, at < until
    else { return nil }
    switch random.below(8) {
    case 0: return .equivocate(name)
    case 1, 2: return .withhold(name, untilMilliseconds: until)
    case 3: return .flood(name, perSecond: random.within(1...50), untilMilliseconds: until)
    default:
      return .forger(
        name, everyMilliseconds: random.within(1...20) * 500, untilMilliseconds: until)
    }
  }

  /// Draws a partition of all nodes into two to four groups.
  private mutating func sides() -> [[String]] {
    let count = chance(70) ? 2 : random.within(2...4)
    var sides = [[String]](repeating: [], count: Int(count))
    for node in scenario.nodes { sides[Int(random.below(count))].append(node.name) }
    return sides.filter { !$0.isEmpty }
  }
}
