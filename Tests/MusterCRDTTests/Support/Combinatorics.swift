extension Array {
  /// Every subset in binary counting order, each in the array's own order; the empty one first.
  var subsets: [[Element]] {
    (0..<(1 << count)).map { mask in
      indices.filter { mask & 1 << $0 != 0 }.map { self[$0] }
    }
  }

  /// Every order of the elements, the array's own first.
  var permutations: [[Element]] {
    guard let first else { return [[]] }
    return dropFirst().permutationsOfRest.flatMap { rest in
      (0...rest.count).map { place in
        Array(rest[..<place]) + [first] + Array(rest[place...])
      }
    }
  }
}

extension ArraySlice {
  fileprivate var permutationsOfRest: [[Element]] { Array(self).permutations }
}

/// Every combination of one element from each list.
func everyChoice<Element>(from lists: [[Element]]) -> [[Element]] {
  lists.reduce([[]]) { chosen, list in
    chosen.flatMap { choice in list.map { choice + [$0] } }
  }
}
