public import MusterModel

extension SyncEngine {
  /// Returns the smoothed RTT of the session with a peer; nil before the first sample.
  public func roundTripMicroseconds(to device: DeviceID) -> Int64? {
    context.outbox.flows[device]?.path.roundTrip.smoothed
  }
}
