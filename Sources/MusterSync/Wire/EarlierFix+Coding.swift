internal import MusterModel

extension EarlierFix {
  /// - Parameter later: the order of the record that carries it.
  func wire(before later: RecordOrder) -> WireEarlierFix {
    var wire = WireEarlierFix()
    wire.position = position.wire
    wire.accuracyDecimetresPlusOne = accuracyDecimetres.map { $0 == .max ? $0 : $0 + 1 } ?? 0
    let order = order.wire(before: later)
    wire.counter = order.counter
    wire.generation = order.generation
    wire.incarnation = order.incarnation
    wire.wasOld = wasOld
    return wire
  }

  private init?(_ wire: WireEarlierFix, before later: RecordOrder) {
    var order = WireEarlierOrder()
    order.counter = wire.counter
    order.generation = wire.generation
    order.incarnation = wire.incarnation
    guard wire.hasPosition, let position = Coordinate(wire.position),
      let order = RecordOrder(order, before: later)
    else { return nil }
    let accuracy = wire.accuracyDecimetresPlusOne
    self.init(
      order: order, position: position,
      accuracyDecimetres: accuracy == 0 ? nil : accuracy - 1, wasOld: wire.wasOld)
  }

  /// Reads the earlier fixes of a record; none if one of them, or their order, is invalid.
  static func list(_ wires: [WireEarlierFix], before later: RecordOrder) -> [EarlierFix] {
    let fixes = wires.compactMap { EarlierFix($0, before: later) }
    return fixes.count == wires.count && isValid(fixes, before: later) ? fixes : []
  }
}

extension RecordOrder {
  /// - Parameter later: the order of the record that names this one.
  func wire(before later: RecordOrder) -> WireEarlierOrder {
    var wire = WireEarlierOrder()
    wire.counter = counter
    if generation != later.generation { wire.generation = generation }
    if incarnation != later.incarnation { wire.incarnation = .init(incarnation.bytes) }
    return wire
  }

  /// Reads an order that a record names; nil for one out of range.
  init?(_ wire: WireEarlierOrder, before later: RecordOrder) {
    let generation = wire.generation == 0 ? later.generation : wire.generation
    guard generation <= Limits.lastGeneration, wire.counter <= UInt64(Int64.max),
      let incarnation = wire.incarnation.isEmpty
        ? later.incarnation : Incarnation(bytes: wire.incarnation)
    else { return nil }
    self.init(generation: generation, incarnation: incarnation, counter: wire.counter)
  }
}
