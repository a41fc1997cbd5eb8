/// Which nodes can reach each other: partitions, and blocked directions.
struct Connectivity {
  /// The partition of each node; only equal ones are connected, and -1 to none.
  private var sides: [Int]
  private var blocked: Set<Direction> = []

  /// From one node to another, by index.
  struct Direction: Hashable {
    let from: Int
    let to: Int
  }

  init(nodes: Int) { sides = Array(repeating: 0, count: nodes) }

  /// Partitions the network: only nodes of one group are connected.
  mutating func partition(into groups: [[Int]]) {
    sides = sides.map { _ in -1 }
    for (number, group) in groups.enumerated() {
      for node in group { sides[node] = number }
    }
  }

  mutating func block(_ direction: Direction) { blocked.insert(direction) }

  /// Ends partitions and blocks.
  mutating func heal() {
    sides = sides.map { _ in 0 }
    blocked = []
  }

  /// Whether there is no partition.
  var isWhole: Bool { sides.allSatisfy { $0 == 0 } }

  func isPartitioned(_ direction: Direction) -> Bool {
    sides[direction.from] != sides[direction.to] || sides[direction.from] < 0
  }

  func isBlocked(_ direction: Direction) -> Bool {
    !blocked.isEmpty && blocked.contains(direction)
  }
}
