internal import MusterModel

/// What the newest records of each device and tracker state about it. In memory: after a start it
/// is read from the stored records.
///
/// Bounded by the position and presence records that are stored: two for each certificate, and one
/// for each of its trackers.
struct TelemetryIndex: Sendable {
  private struct Stated<Content: Sendable>: Sendable {
    let order: RecordOrder
    let content: Content
  }

  private var batteries: [DeviceID: Stated<UInt8>] = [:]
  private var stillness: [DeviceID: Stated<UInt32?>] = [:]

  /// Takes a record. Of a battery the newest statement counts, of stillness that of the newest
  /// position.
  mutating func take(
    _ telemetry: Telemetry, of device: DeviceID, in kind: RecordKind, at order: RecordOrder
  ) {
    if let percent = telemetry.batteryPercent,
      batteries[device].map({ $0.order <= order }) ?? true
    {
      batteries[device] = Stated(order: order, content: percent)
    }
    guard kind != .presence, stillness[device].map({ $0.order <= order }) ?? true else { return }
    stillness[device] = Stated(order: order, content: telemetry.stillSeconds)
  }

  /// Returns the last stated charge in percent.
  func batteryPercent(of device: DeviceID) -> UInt8? { batteries[device]?.content }

  /// Returns the seconds without movement that the position with this order states.
  func stillSeconds(of device: DeviceID, at order: RecordOrder) -> UInt32? {
    guard let stated = stillness[device], stated.order == order else { return nil }
    return stated.content
  }
}
