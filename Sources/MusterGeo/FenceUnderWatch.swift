public import MusterModel

/// A fence as input of the detector.
public struct FenceUnderWatch: Sendable {
  /// The fence's row.
  public let id: RowID
  /// Changes with the geometry and with the active flag.
  public let version: FenceVersion
  /// An inactive fence has no events.
  public let isActive: Bool
  /// Its outline.
  public let fence: PreparedFence
  /// The parameters of its events.
  let rule: CrossingRule

  /// The required certainty of an event.
  public var mode: FenceMode { rule.mode }

  /// Creates a fence with the parameters of its events.
  ///
  /// - Parameter isHazard: whether each ENTER counts at once, however often it is crossed.
  public init(
    id: RowID, version: FenceVersion, isActive: Bool, fence: PreparedFence, mode: FenceMode,
    dwellSeconds: UInt32, isHazard: Bool = false
  ) {
    self.id = id
    self.version = version
    self.isActive = isActive
    self.fence = fence
    rule = CrossingRule(
      fence: id, version: version, mode: mode, dwellSeconds: dwellSeconds, isHazard: isHazard)
  }
}

/// The parameters of a fence that are read for each fix inside: plain values, so that an array of
/// them is read without reference counting.
struct CrossingRule: Sendable {
  let fence: RowID
  let version: FenceVersion
  let mode: FenceMode
  /// How long a subject must have been inside, by the sample times of fixes, for an ENTER; 0 for
  /// none.
  let dwellSeconds: UInt32
  let isHazard: Bool
}
