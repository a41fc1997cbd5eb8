/// The nodes that the scenario gives a fault, by their indices. Checkers expect less of them.
struct FaultyNodes {
  /// Nodes whose logs may have two frames at one position.
  let forkers: Set<Int>
  /// Nodes whose own writes may not reach all others.
  let doubtful: Set<Int>
  /// Nodes that exhaust their quotas: others need not agree on their data until they are revoked.
  let overfillers: Set<Int>
  /// Nodes that admitted a device and were destroyed.
  let lost: Set<Int>

  init(_ scenario: Scenario) {
    func indices(_ names: Set<String>) -> Set<Int> {
      Set(scenario.nodes.indices.filter { names.contains(scenario.nodes[$0].name) })
    }
    forkers = indices(scenario.namesThatFork)
    doubtful = forkers.union(indices(scenario.namesRevoked))
    overfillers = indices(scenario.namesThatOverfill)
    lost = indices(scenario.namesLost)
  }
}
