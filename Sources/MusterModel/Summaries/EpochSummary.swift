/// The group key that seals new frames.
public struct EpochSummary: Codable, Hashable, Sendable {
  /// A hash of the key.
  public var id: EpochID
  /// One more than the greatest that its author knew; 0 if no announcement has arrived.
  public var generation: UInt32
  /// The user of the device that announced it; empty if no announcement has arrived.
  public var callsign: String
  /// Whether this device announced it.
  public var isOwn: Bool

  /// Creates a summary of the current epoch.
  public init(id: EpochID, generation: UInt32, callsign: String, isOwn: Bool) {
    self.id = id
    self.generation = generation
    self.callsign = callsign
    self.isOwn = isOwn
  }
}
