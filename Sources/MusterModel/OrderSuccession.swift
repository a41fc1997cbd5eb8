/// Which orders replace one, directly or through others.
public enum OrderSuccession {
  /// Returns the orders that supersede one, and those that supersede these in turn, the nearest
  /// first. Several may supersede the same one: commanders who are out of contact each issue their
  /// own.
  ///
  /// - Parameter link: the id of an order, and those that it supersedes.
  public static func successors<Order>(
    of id: RowID, among orders: [Order], _ link: (Order) -> (id: RowID, supersedes: Set<RowID>)
  ) -> [Order] {
    var found: [Order] = []
    var (known, next): (Set<RowID>, Set<RowID>) = ([id], [id])
    while !next.isEmpty {
      let newer = orders.filter { order in
        let (id, supersedes) = link(order)
        return !known.contains(id) && !supersedes.isDisjoint(with: next)
      }
      found += newer
      next = Set(newer.map { link($0).id })
      known.formUnion(next)
    }
    return found
  }
}
