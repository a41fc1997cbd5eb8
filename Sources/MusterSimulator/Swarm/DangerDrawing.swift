import MusterModel

extension Scenario {
  /// Returns a random scenario of people who walk among hazard zones, call for help and are
  /// accounted for, on a network that connects them: every node is to show within two seconds who
  /// is in danger. Clocks are wrong, and a partition comes and goes.
  public static func drawnDanger(seed: UInt64) -> Scenario {
    var random = RandomStream(seed: seed, named: "danger")
    let names = ["anna", "ben", "cleo", "dora", "emil", "fay", "gus", "hana"]
    var nodes: [NodePlan] = []
    for name in names.prefix(Int(random.within(3...8))) {
      var node = NodePlan(name: name, role: nodes.isEmpty ? .command : .member)
      if nodes.count > 2, random.below(5) == 0 { node.role = .observer }
      node.movement = .walk(
        acrossMetres: random.within(500...2000), millimetresPerSecond: random.within(1000...9000))
      if random.below(3) == 0 {
        node.skewMilliseconds = random.within(-10...10) * 31_557_600_000 + 60_000
      }
      if random.below(4) == 0 { node.driftPerMillion = random.within(-150...150) }
      nodes.append(node)
    }
    var scenario = Scenario(name: "danger-\(seed)", nodes: nodes)
    scenario.seed = seed
    scenario.story = "People in danger, drawn with seed \(seed)."
    scenario.warmUpMilliseconds = 10_000
    scenario.durationMilliseconds = random.within(3...8) * 60_000
    scenario.settleMilliseconds = 180_000
    scenario.everyFaultFires = false
    let least = random.within(0...30)
    scenario.network.conditions.delayMilliseconds = least...(least + random.within(1...100))
    if random.below(3) == 0 { scenario.network.conditions.duplicatePerMillion = 50_000 }
    scenario.workload.positionsEveryMilliseconds = random.within(2...15) * 1000
    scenario.workload.fences = 3
    scenario.workload.everyMilliseconds = [
      .safety: random.within(5...40) * 1000, .overrides: random.within(10...60) * 1000,
      .fences: random.within(10...60) * 1000, .looks: 20_000,
    ]
    if random.below(3) == 0 {
      let start = random.within(30_000...90_000)
      let half = nodes.count / 2
      scenario.timeline = [
        TimelineEntry(
          atMilliseconds: start,
          event: .cut([nodes.prefix(half).map(\.name), nodes.dropFirst(half).map(\.name)])),
        TimelineEntry(atMilliseconds: start + random.within(5...60) * 1000, event: .heal),
      ]
    }
    scenario.expectations.dangersWithinMilliseconds = 2000
    return scenario
  }
}
