public import MusterModel
internal import MusterStore

/// Who holds what this device has written.
extension Replica {
  /// How far each log of this device reaches, by id.
  public func writtenThrough() -> [WrittenThrough] {
    writer.heads.values.map { WrittenThrough(log: $0.log, sequence: $0.sequence) }
      .sorted { $0.log < $1.log }
  }

  /// Who holds these logs that far.
  public func delivery(
    through written: [WrittenThrough], now: ClockReading
  ) throws -> Delivery {
    var book = deliveryTracker(now: now)
    return try book.delivery(
      through: Dictionary(written.map { ($0.log, $0.sequence) }, uniquingKeysWith: max))
  }

  func deliveryTracker(now: ClockReading?) -> DeliveryTracker {
    DeliveryTracker(
      store: store, engine: engine, local: local, control: control, now: now?.instant)
  }
}
