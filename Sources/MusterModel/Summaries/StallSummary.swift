/// A stalled peer: it is in reach, but data between it and this device has not moved for minutes.
/// It withholds data, or its disk or link fails.
public struct StallSummary: Codable, Hashable, Sendable {
  /// What is stalled.
  public enum Kind: UInt8, Codable, Hashable, Sendable {
    /// It advertises data that is missing here, and does not deliver it.
    case keepsToItself = 1
    /// It is missing data that is held here, and does not request it.
    case asksForNothing = 2
  }

  /// The peer's device.
  public var device: DeviceID
  /// The user's callsign; the first digits of the device's id while none is known.
  public var callsign: String
  /// What is stalled.
  public var kind: Kind
  /// For how many seconds.
  public var seconds: Int64

  /// Creates a summary. The caller MUST have evidence of the difference by another path.
  public init(device: DeviceID, callsign: String, kind: Kind, seconds: Int64) {
    self.device = device
    self.callsign = callsign
    self.kind = kind
    self.seconds = seconds
  }
}

/// A device from which nothing new has arrived for minutes, by any path: it may be off, out of
/// reach, or behind a peer that withholds its data.
public struct SilenceSummary: Codable, Hashable, Sendable {
  /// The device whose data is stale here.
  public var device: DeviceID
  /// The user's callsign; the first digits of the device's id while none is known.
  public var callsign: String
  /// Seconds since its last new data, or since this node started.
  public var seconds: Int64

  /// Creates a summary of a device with data here that is not revoked.
  public init(device: DeviceID, callsign: String, seconds: Int64) {
    self.device = device
    self.callsign = callsign
    self.seconds = seconds
  }
}
