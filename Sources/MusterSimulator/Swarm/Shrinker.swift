import MusterModel

/// Reduces a scenario that violates a promise while it still violates the same one: fewer nodes,
/// fewer faults, a shorter story, less work.
///
/// Each reduction is a valid scenario: one that lacks what another event names is not tried.
public struct Shrinker {
  private let promises: Set<String>
  private var budget: Int
  /// The smallest scenario that still fails.
  public private(set) var smallest: Scenario

  /// Creates a shrinker.
  ///
  /// - Parameter runs: the maximum number of runs.
  public init(_ scenario: Scenario, breaking violations: [Violation], runs: Int) {
    smallest = scenario
    promises = Set(violations.map(\.promise))
    budget = runs
  }

  /// Tries reductions until none succeeds.
  ///
  /// - Parameter onStep: called after each run with the number of runs left and the smallest
  ///   scenario.
  public mutating func shrink(onStep: (Int, Scenario) -> Void) {
    var hasShrunk = true
    while hasShrunk, budget > 0 {
      hasShrunk = false
      for candidate in Self.candidates(of: smallest) where candidate.isReadable {
        guard budget > 0 else { return }
        budget -= 1
        let result = World.play(candidate, seed: candidate.seed)
        let isSame = result.violations.contains { promises.contains($0.promise) }
        if isSame {
          smallest = candidate
          hasShrunk = true
        }
        onStep(budget, smallest)
        if isSame { break }
      }
    }
  }

  /// Returns reduced scenarios, the largest reductions first. Some may not be readable.
  static func candidates(of scenario: Scenario) -> [Scenario] {
    var found: [Scenario] = []
    if scenario.durationMilliseconds >= 20_000 {
      found.append(scenario.shortened(to: scenario.durationMilliseconds / 2))
    }
    let half = scenario.timeline.count / 2
    if half > 0 {
      found.append(scenario.with { $0.timeline.removeFirst(half) })
      found.append(scenario.with { $0.timeline.removeLast(half) })
    }
    for node in scenario.nodes.dropFirst().reversed() {
      found.append(scenario.without(node.name))
    }
    for index in scenario.timeline.indices {
      found.append(scenario.with { $0.timeline.remove(at: index) })
    }
    found.append(scenario.with { $0.network.links = [] })
    found.append(scenario.with { $0.network.conditions = LinkConditions() })
    found.append(scenario.with { $0.network.conditions.lossPerMillion = 0 })
    found.append(scenario.with { $0.network.conditions.duplicatePerMillion = 0 })
    found.append(scenario.with { $0.network.conditions.reorderPerMillion = 0 })
    found.append(scenario.with { $0.network.conditions.corruptPerMillion = 0 })
    found.append(scenario.with { $0.network.medium = .free })
    found.append(scenario.with { $0.network.rangeMetres = nil })
    for kind in WorkKind.allCases {
      found.append(scenario.with { $0.workload.everyMilliseconds[kind] = nil })
    }
    found.append(scenario.with { $0.workload.positionsEveryMilliseconds = nil })
    found.append(scenario.with { $0.workload.fences = 0 })
    for index in scenario.nodes.indices {
      found.append(scenario.with { $0.nodes[index].movement = .still })
      found.append(scenario.with { $0.nodes[index].skewMilliseconds = 0 })
      found.append(scenario.with { $0.nodes[index].driftPerMillion = 0 })
      found.append(scenario.with { $0.nodes[index].joinsAtMilliseconds = 0 })
    }
    return found.filter { $0 != scenario }
  }
}

extension Scenario {
  /// Whether the reader accepts its file: an event may name a council or a backup that is gone.
  var isReadable: Bool { (try? ScenarioReader.read(yaml, file: name)) != nil }

  fileprivate func with(_ change: (inout Scenario) -> Void) -> Scenario {
    var changed = self
    change(&changed)
    return changed
  }

  fileprivate func shortened(to milliseconds: Int64) -> Scenario {
    with { scenario in
      scenario.durationMilliseconds = milliseconds
      scenario.timeline.removeAll { $0.atMilliseconds > milliseconds }
      for index in scenario.nodes.indices {
        scenario.nodes[index].joinsAtMilliseconds = min(
          scenario.nodes[index].joinsAtMilliseconds, milliseconds)
      }
    }
  }

  /// Removes a node. Nodes that were given its address get its own list of addresses.
  fileprivate func without(_ name: String) -> Scenario {
    with { scenario in
      let theirs = scenario.nodes.first { $0.name == name }?.peers ?? []
      scenario.nodes.removeAll { $0.name == name || $0.cloneOf == name || $0.admittedBy == name }
      for index in scenario.nodes.indices {
        guard let place = scenario.nodes[index].peers.firstIndex(of: name) else { continue }
        let heirs = theirs.isEmpty ? [scenario.nodes[0].name] : theirs
        scenario.nodes[index].peers.replaceSubrange(
          place...place, with: heirs.filter { $0 != scenario.nodes[index].name })
      }
      scenario.network.links.removeAll { $0.from == name || $0.to == name }
      let gone = [name] + nodes.filter { $0.cloneOf == name || $0.admittedBy == name }.map(\.name)
      scenario.timeline = scenario.timeline.compactMap { entry in
        var event: TimelineEvent? = entry.event
        for name in gone { event = event?.without(name) }
        return event.map { TimelineEntry(atMilliseconds: entry.atMilliseconds, event: $0) }
      }
    }
  }
}

extension TimelineEvent {
  /// Returns nil if no node is left in it.
  fileprivate func without(_ name: String) -> TimelineEvent? {
    func rest(_ groups: [[String]]) -> [[String]] {
      groups.map { $0.filter { $0 != name } }.filter { !$0.isEmpty }
    }
    switch self {
    case .cut(let groups):
      let left = rest(groups)
      return left.isEmpty ? nil : .cut(left)
    case .flap(let groups, let every, let until):
      let left = rest(groups)
      return left.isEmpty
        ? nil : .flap(left, everyMilliseconds: every, untilMilliseconds: until)
    case .block(let one, let other), .revoke(let one, let other):
      return one == name || other == name ? nil : self
    case .crash(name, _), .sleep(name, _), .jump(name, _), .readdress(name), .backup(name),
      .restore(name), .insider(name, _, _), .forger(name, _, _), .powerCut(name, _, _),
      .diskFull(name, _), .diskFails(name, _), .withhold(name, _), .flood(name, _, _),
      .equivocate(name), .overfill(name, _, _), .usurp(name):
      return nil
    case .council(let names): return .council(names.filter { $0 != name })
    case .burst(let names, let reports, let hazards, let together):
      let left = names.filter { $0 != name }
      return left.isEmpty
        ? nil : .burst(left, reports: reports, hazards: hazards, together: together)
    default: return self
    }
  }
}
