public import MusterModel

extension SyncEngine {
  /// There and back on the session with a peer, smoothed; nil while none was measured.
  public func roundTripMicroseconds(to device: DeviceID) -> Int64? {
    outbox.flows[device]?.path.roundTrip.smoothed
  }
}
