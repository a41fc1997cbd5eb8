internal import MusterModel

extension EarlierFix {
  /// - Parameter later: the order of the record that carries it.
  func wire(before later: RecordOrder) -> WireEarlierFix {
    var wire = WireEarlierFix()
    wire.position = position.wire
    wire.accuracyDecimetresPlusOne = accuracyDecimetres.map { $0 == .max ? $0 : $0 + 1 } ?? 0
    wire.counter = order.counter
    if order.generation != later.generation { wire.generation = order.generation }
    if order.incarnation != later.incarnation { wire.incarnation = .init(order.incarnation.bytes) }
    return wire
  }

  private init?(_ wire: WireEarlierFix, before later: RecordOrder) {
    let generation = wire.generation == 0 ? later.generation : wire.generation
    guard wire.hasPosition, let position = Coordinate(wire.position),
      generation <= Limits.lastGeneration, wire.counter <= UInt64(Int64.max),
      let incarnation = wire.incarnation.isEmpty
        ? later.incarnation : Incarnation(bytes: wire.incarnation)
    else { return nil }
    let accuracy = wire.accuracyDecimetresPlusOne
    self.init(
      order: RecordOrder(
        generation: generation, incarnation: incarnation, counter: wire.counter),
      position: position, accuracyDecimetres: accuracy == 0 ? nil : accuracy - 1)
  }

  /// Reads the earlier fixes of a record; none if one of them, or their order, is invalid.
  static func list(_ wires: [WireEarlierFix], before later: RecordOrder) -> [EarlierFix] {
    let fixes = wires.compactMap { EarlierFix($0, before: later) }
    return fixes.count == wires.count && isValid(fixes, before: later) ? fixes : []
  }
}
