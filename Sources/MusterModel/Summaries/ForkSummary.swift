/// A log with two frames for one place: its author's database was restored or copied, or it lies.
public struct ForkSummary: Codable, Hashable, Sendable {
  /// Whose log it is.
  public var device: DeviceID
  /// Of the device's user; the first digits of its id while none is known.
  public var callsign: String
  /// The log that is forked.
  public var log: LogID
  /// The lane of all of its frames.
  public var lane: Lane
  /// The first sequence at which there is more than one frame.
  public var place: UInt64
  /// How many branches are held; beyond `Limits.branchesPerLog` none of them counts.
  public var branches: Int

  /// The caller MUST hold all branches that it counts.
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
