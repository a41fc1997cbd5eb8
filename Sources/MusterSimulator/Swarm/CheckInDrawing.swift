import MusterModel

extension Scenario {
  /// Returns a random scenario of people who must check in: wall clocks are wrong by years and
  /// jump, laptops sleep, restart, are restored or destroyed, and the mesh is partitioned.
  ///
  /// Boot clocks keep the rate that decision 0035 assumes: for others no interval is promised.
  public static func drawnCheckIns(seed: UInt64) -> Scenario {
    var drawing = CheckInDrawing(seed: seed)
    return drawing.draw()
  }
}

/// The random choices of a scenario about check-ins.
private struct CheckInDrawing {
  private var random: RandomStream
  private var scenario: Scenario
  private static let yearMilliseconds: Int64 = 31_557_600_000

  init(seed: UInt64) {
    random = RandomStream(seed: seed, named: "drawn check-ins")
    scenario = Scenario(name: "check-ins-\(seed)", nodes: [])
    scenario.seed = seed
  }

  mutating func draw() -> Scenario {
    scenario.story = "People who must check in, drawn with seed \(scenario.seed)."
    scenario.warmUpMilliseconds = 10_000
    scenario.durationMilliseconds = random.within(3...9) * 60_000
    scenario.settleMilliseconds = 180_000
    scenario.everyFaultFires = false
    drawNodes()
    drawNetwork()
    scenario.workload.everyMilliseconds = [
      .checkIns: random.within(8...40) * 1000, .checkInReports: random.within(6...30) * 1000,
    ]
    if random.below(2) == 0 {
      scenario.workload.positionsEveryMilliseconds = random.within(5...30) * 1000
    }
    if random.below(2) == 0 {
      scenario.workload.everyMilliseconds[.safety] = random.within(10...60) * 1000
    }
    for _ in 0..<random.within(2...8) {
      let at = random.below(scenario.durationMilliseconds)
      scenario.timeline.append(TimelineEntry(atMilliseconds: at, event: fault()))
    }
    drawRestores()
    drawNewcomers()
    scenario.timeline.sort { $0.atMilliseconds < $1.atMilliseconds }
    return scenario
  }

  /// In one scenario of three up to two disks are restored; from a separate random stream.
  private mutating func drawRestores() {
    random = RandomStream(seed: scenario.seed, named: "restored check-ins")
    guard random.below(3) == 0 else { return }
    for _ in 0...random.below(2) {
      guard let name = random.element(of: scenario.nodes)?.name else { return }
      let at = random.below(scenario.durationMilliseconds)
      let later = random.within(at...scenario.durationMilliseconds)
      scenario.timeline += [
        TimelineEntry(atMilliseconds: at, event: .backup(name)),
        TimelineEntry(atMilliseconds: later, event: .restore(name)),
      ]
    }
  }

  /// In one scenario of three up to three people join later, whose certificates no other node holds
  /// before: timers for them overtake these. From a separate random stream.
  private mutating func drawNewcomers() {
    random = RandomStream(seed: scenario.seed, named: "newcomers with check-ins")
    guard random.below(3) == 0 else { return }
    scenario.nodes.append(NodePlan(name: "admitter", role: .command))
    let known = scenario.nodes.dropLast().map(\.name)
    for number in 0...random.below(3) {
      var newcomer = NodePlan(name: "newcomer\(number)", role: .member)
      newcomer.admittedBy = "admitter"
      newcomer.joinsAtMilliseconds = random.within(0...scenario.durationMilliseconds)
      if !scenario.network.multicast, let peer = random.element(of: known) {
        newcomer.peers = [peer]
      }
      scenario.nodes.append(newcomer)
    }
  }

  private mutating func drawNodes() {
    let names = ["anna", "ben", "cleo", "dora", "emil", "fay", "gus", "hana"]
    for name in names.prefix(Int(random.within(2...8))) {
      var node = NodePlan(name: name, role: scenario.nodes.isEmpty ? .command : .member)
      if scenario.nodes.count > 1 {
        let roles: [Role] = [.member, .member, .member, .command, .observer, .relay]
        node.role = random.element(of: roles) ?? .member
      }
      if random.below(2) == 0 {
        node.movement = .walk(acrossMetres: 1000, millimetresPerSecond: 2000)
      }
      if random.below(2) == 0 {
        node.skewMilliseconds = random.within(-10...10) * Self.yearMilliseconds + 60_000
      }
      if random.below(2) == 0 { node.driftPerMillion = random.within(-90...90) }
      scenario.nodes.append(node)
    }
  }

  private mutating func drawNetwork() {
    let least = random.within(0...30)
    let most = random.below(5) == 0 ? random.within(500...8000) : random.within(1...200)
    scenario.network.conditions.delayMilliseconds = least...(least + most)
    if random.below(2) == 0 {
      scenario.network.conditions.lossPerMillion = random.within(1...25) * 10_000
    }
    if random.below(4) == 0 { scenario.network.conditions.duplicatePerMillion = 100_000 }
    guard random.below(3) == 0 else { return }
    // A chain, so that check-ins arrive by relays.
    scenario.network.multicast = false
    for index in scenario.nodes.indices.dropFirst() {
      scenario.nodes[index].peers = [scenario.nodes[index - 1].name]
    }
  }

  private mutating func fault() -> TimelineEvent {
    let name = random.element(of: scenario.nodes)?.name ?? ""
    switch random.below(12) {
    case 0, 1, 2: return .cut(sides())
    case 3: return .heal
    case 4, 5: return .crash(name, forMilliseconds: random.within(1...180) * 1000)
    case 6: return .crash(name, forMilliseconds: nil)
    case 7, 8: return .sleep(name, forMilliseconds: random.within(1...300) * 1000)
    case 9, 10:
      let years = random.within(-10...10) * Self.yearMilliseconds
      return .jump(
        name, byMilliseconds: random.below(2) == 0 ? years : random.within(-300...300) * 1000)
    default:
      return .flap(
        sides(), everyMilliseconds: random.within(5...60) * 1000,
        untilMilliseconds: scenario.durationMilliseconds + 1)
    }
  }

  private mutating func sides() -> [[String]] {
    var sides: [[String]] = [[], []]
    for node in scenario.nodes { sides[Int(random.below(2))].append(node.name) }
    return sides.filter { !$0.isEmpty }
  }
}
