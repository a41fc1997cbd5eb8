internal import MusterModel
internal import MusterStore

/// When this node came to hold each device's newest position, by its own clock since the start: an
/// age that a sender's clock cannot shorten.
struct PositionTimes: Sendable {
  private var receipts: [DeviceID: Receipt] = [:]

  private struct Receipt: Sendable {
    let order: RecordOrder
    let at: Instant
  }

  /// Remembers the positions that are new.
  mutating func note(_ positions: some Sequence<DevicePosition>, now: Instant) {
    for position in positions where receipts[position.device]?.order != position.order {
      receipts[position.device] = Receipt(order: position.order, at: now)
    }
  }

  /// Milliseconds since a position was noted; 0 for one that was not.
  func held(_ position: DevicePosition, now: Instant) -> Int64 {
    guard let receipt = receipts[position.device], receipt.order == position.order else { return 0 }
    return max(0, now.milliseconds(since: receipt.at))
  }
}
