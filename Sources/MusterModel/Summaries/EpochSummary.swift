/// The group key that new frames are sealed under.
public struct EpochSummary: Codable, Hashable, Sendable {
  /// A hash of the key.
  public var id: EpochID
  /// One more than the greatest that its maker knew; 0 where no announcement has come.
  public var generation: UInt32
  /// Whose device announced it; empty where no announcement has come.
  public var callsign: String
  /// Whether this device announced it.
  public var isOwn: Bool

  /// The epoch in force.
  public init(id: EpochID, generation: UInt32, callsign: String, isOwn: Bool) {
    self.id = id
    self.generation = generation
    self.callsign = callsign
    self.isOwn = isOwn
  }
}
