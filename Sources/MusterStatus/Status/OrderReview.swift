internal import MusterModel

/// The open orders that address a person, and what satisfies them.
struct OrderReview {
  /// Neither closed, nor superseded, nor named by the person's sign-off; by id.
  let open: [OrderEvidence]
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
    let (moving, calls) = (Self.replaced(mine, moves: true), Self.replaced(mine, moves: false))
    let open = mine.filter { order in
      order.isOpen && !left.contains(order.id)
        && !(order.moves ? moving : calls).contains(order.id)
    }
    self.open = open
    goals = Self.goals(of: open.filter(\.moves), in: scene)
  }

  /// Returns the orders that others of these supersede: an order to a zone supersedes only such
  /// orders, and a roll call only roll calls. None supersedes itself.
  private static func replaced(_ orders: [OrderEvidence], moves: Bool) -> Set<RowID> {
    orders.filter { $0.moves == moves }
      .reduce(into: []) { $0.formUnion($1.supersedes.subtracting([$1.id])) }
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
    let candidates = moves ? open.filter(\.moves) : open.filter { !satisfied.contains($0.id) }
    return candidates.min { $0.isShown(before: $1) }
  }

  /// Returns what satisfies an order, apart from accountings; nil if nothing does.
  func satisfaction(of order: OrderEvidence) -> OrderStanding.State? {
    guard order.moves, !goals.isEmpty || order.awaitsZones else {
      return order.acknowledged.contains(person.id) ? .acknowledged : nil
    }
    let issued = order.made.moment(at: clock).latest
    for fix in fixes where fix.made.moment(at: clock).earliest >= issued {
      if let zone = goals.first(where: { $0.fence.contains(fix.position) }) {
        return .present(zone: zone.id)
      }
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
