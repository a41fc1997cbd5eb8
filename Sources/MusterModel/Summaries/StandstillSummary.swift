/// A peer in reach between whom and this device something does not move for minutes: it withholds,
/// or its disk or link fails.
public struct StandstillSummary: Codable, Hashable, Sendable {
  /// What does not move.
  public enum Kind: UInt8, Codable, Hashable, Sendable {
    /// It shows that it holds what is lacked here, and hands nothing over.
    case keepsToItself = 1
    /// It shows that it lacks what is held here, and asks for nothing.
    case asksForNothing = 2
  }

  /// Who it is.
  public var device: DeviceID
  /// Of the device's user; the first digits of its id while none is known.
  public var callsign: String
  /// What it does.
  public var kind: Kind
  /// For how long.
  public var seconds: Int64

  /// The caller MUST have another path that shows the difference.
  public init(device: DeviceID, callsign: String, kind: Kind, seconds: Int64) {
    self.device = device
    self.callsign = callsign
    self.kind = kind
    self.seconds = seconds
  }
}

/// Somebody of whom nothing new has come for minutes, by whatever path: they may be off, out of
/// reach, or behind somebody who withholds.
public struct SilenceSummary: Codable, Hashable, Sendable {
  /// Whose words are stale here.
  public var device: DeviceID
  /// Of the device's user; the first digits of its id while none is known.
  public var callsign: String
  /// Since something new of theirs came, or since this node was started.
  public var seconds: Int64

  /// Of a device whose words are held here, and which is not revoked.
  public init(device: DeviceID, callsign: String, seconds: Int64) {
    self.device = device
    self.callsign = callsign
    self.seconds = seconds
  }
}
