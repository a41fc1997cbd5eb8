/// A device with a second live copy of its keys: its home was copied, or its key was stolen.
public struct CloneSummary: Codable, Hashable, Sendable {
  /// The cloned device.
  public var device: DeviceID
  /// The user's callsign; the first digits of the device's id while none is known.
  public var callsign: String
  /// The incarnation that reported the clone.
  public var life: IncarnationName
  /// The incarnation that it detected; the same if two records with one order prove it.
  public var other: IncarnationName
  /// By the clock of the reporting incarnation; nil if two records prove it.
  public var noticedAt: Timestamp?

  /// Creates a summary. The caller MUST hold the record and have verified its signature.
  public init(
    device: DeviceID, callsign: String, life: IncarnationName, other: IncarnationName,
    noticedAt: Timestamp?
  ) {
    self.device = device
    self.callsign = callsign
    self.life = life
    self.other = other
    self.noticedAt = noticedAt
  }
}
