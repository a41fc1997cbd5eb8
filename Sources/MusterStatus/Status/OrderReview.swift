internal import MusterModel

/// The open orders that address a person, and what satisfies them.
struct OrderReview {
  /// Neither closed, nor replaced, nor named by the person's sign-off; by id. A roll call that was
  /// replaced after its deadline stays: an answer to the new one satisfies it too.
  let open: [OrderEvidence]
  /// The roll calls that replace each of the open ones, directly or not.
  private let successors: [RowID: [OrderEvidence]]
  /// The zones of the orders that send people to a zone, by id: any of them satisfies.
  let goals: [StatusZone]
  private let person: PersonIdentity
  private let fixes: [FixEvidence]
  private let clock: StatusClock

  init(
    _ person: PersonEvidence, devices: DeviceContacts, in scene: StatusScene, at clock: StatusClock
  ) {
    self.person = person.identity
    self.clock = clock
    fixes = devices.trusted.compactMap(\.history.newest)
    let mine = scene.orders.filter { $0.isOrder && $0.audience.includes(person.identity) }
    let left = person.statements.signOff?.rows ?? []
    let moving = Self.replaced(mine.filter(\.moves))
    let calls = mine.filter { !$0.moves }
    var successors: [RowID: [OrderEvidence]] = [:]
    let open = mine.filter { order in
      guard order.isOpen, !left.contains(order.id) else { return false }
      if order.moves { return !moving.contains(order.id) }
      let newer = OrderSuccession.successors(of: order.id, among: calls) { ($0.id, $0.supersedes) }
      successors[order.id] = newer
      return newer.allSatisfy { order.mayBeLate(when: $0, at: clock) }
    }
    (self.open, self.successors) = (open, successors)
    goals = Self.goals(of: open.filter(\.moves), in: scene)
  }

  /// Returns the orders that others of these supersede. None supersedes itself.
  private static func replaced(_ orders: [OrderEvidence]) -> Set<RowID> {
    orders.reduce(into: []) { $0.formUnion($1.supersedes.subtracting([$1.id])) }
  }

  private static func goals(of orders: [OrderEvidence], in scene: StatusScene) -> [StatusZone] {
    var goals: [RowID: StatusZone] = [:]
    for order in orders {
      let named = order.zones.compactMap { scene.zones[$0] }.filter(\.isRefuge)
      let others = order.awaitsZones ? [] : scene.assembly
      for zone in named.isEmpty ? others : named { goals[zone.id] = zone }
    }
    return goals.values.sorted { $0.id < $1.id }
  }

  /// Whether an order sends the person to a zone.
  var moves: Bool { open.contains(where: \.moves) }

  /// Returns the order to show: one to a zone, else an unanswered roll call.
  func shown(satisfied: Set<RowID>) -> OrderEvidence? {
    let candidates =
      moves
      ? open.filter(\.moves)
      : open.filter { !satisfied.contains($0.id) && successors[$0.id]?.isEmpty != false }
    return candidates.min { $0.isShown(before: $1) }
  }

  /// Returns what satisfies an order, apart from accountings; nil if nothing does.
  func satisfaction(of order: OrderEvidence) -> OrderStanding.State? {
    guard order.moves, !goals.isEmpty || order.awaitsZones else {
      let counting = [order] + (successors[order.id] ?? [])
      return counting.contains { $0.acknowledged.contains(person.id) } ? .acknowledged : nil
    }
    return sighting(in: goals, after: order).map { .present(zone: $0) }
  }

  /// Returns the zone of a roll call in which a device of the person certainly was after it was
  /// issued. It does not satisfy the call: who left the device behind may be missing.
  func sighting(afterRollCall order: OrderEvidence, in scene: StatusScene) -> RowID? {
    order.moves ? nil : sighting(in: Self.goals(of: [order], in: scene), after: order)
  }

  private func sighting(in zones: [StatusZone], after order: OrderEvidence) -> RowID? {
    let issued = order.made.moment(at: clock).latest
    for fix in fixes where fix.made.moment(at: clock).earliest >= issued {
      if let zone = zones.first(where: { $0.fence.contains(fix.position) }) { return zone.id }
    }
    return nil
  }

  /// Returns how late an unsatisfied order is.
  func lateness(of order: OrderEvidence) -> OrderStanding.State {
    guard let deadline = order.deadline(at: clock) else { return .ordered }
    if deadline.hasPassed(at: clock.boot, grace: OrderEvidence.graceMilliseconds) {
      return .unaccounted
    }
    return deadline.mayHavePassed(at: clock.boot) ? .overdue : .ordered
  }

  /// Returns the times at which the lateness of an order may change.
  func changes(of order: OrderEvidence) -> [Int64] {
    guard let due = order.deadline(at: clock)?.time else { return [] }
    return [due.earliest, due.latest + OrderEvidence.graceMilliseconds]
  }
}

extension OrderEvidence {
  /// Whether its deadline may have passed when another was issued: its replacement came too late
  /// to settle it for those who had not answered.
  fileprivate func mayBeLate(when other: OrderEvidence, at clock: StatusClock) -> Bool {
    guard let due = deadline(at: clock)?.time else { return false }
    return due.earliest <= other.made.moment(at: clock).latest
  }
}
