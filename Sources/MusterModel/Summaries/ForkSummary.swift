/// A log with two frames at one position: a restored or copied database, or equivocation.
public struct ForkSummary: Codable, Hashable, Sendable {
  /// The author's device.
  public var device: DeviceID
  /// The user's callsign; the first digits of the device's id while none is known.
  public var callsign: String
  /// The log that is forked.
  public var log: LogID
  /// The lane of all its frames.
  public var lane: Lane
  /// The first sequence with more than one frame.
  public var place: UInt64
  /// The number of branches held; beyond `Limits.branchesPerLog` none of them counts.
  public var branches: Int

  /// Creates a summary. The caller MUST hold all branches that it counts.
  public init(
    device: DeviceID, callsign: String, log: LogID, lane: Lane, place: UInt64, branches: Int
  ) {
    self.device = device
    self.callsign = callsign
    self.log = log
    self.lane = lane
    self.place = place
    self.branches = branches
  }
}
