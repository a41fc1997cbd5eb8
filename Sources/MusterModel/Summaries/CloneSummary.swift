/// A device whose key is in use in two places at once: its home was copied, or its key was stolen.
public struct CloneSummary: Codable, Hashable, Sendable {
  /// The one that is in use twice.
  public var device: DeviceID
  /// Of the device's user; the first digits of its id while none is known.
  public var callsign: String
  /// Which of its lives says so.
  public var life: LifeMark
  /// The one that it found beside itself.
  public var other: LifeMark
  /// By the clock of the life that says so.
  public var noticedAt: Timestamp

  /// The caller MUST hold the record, whose signature holds.
  public init(
    device: DeviceID, callsign: String, life: LifeMark, other: LifeMark, noticedAt: Timestamp
  ) {
    self.device = device
    self.callsign = callsign
    self.life = life
    self.other = other
    self.noticedAt = noticedAt
  }
}
