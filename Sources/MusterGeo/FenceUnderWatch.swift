public import MusterModel

/// A fence as the detector sees it.
public struct FenceUnderWatch: Sendable {
  /// The fence's row.
  public let id: RowID
  /// Changes with the geometry and with the active flag.
  public let version: FenceVersion
  /// An inactive fence has no crossings.
  public let isActive: Bool
  /// Its outline.
  public let fence: PreparedFence
  /// What decides its crossings.
  let rule: CrossingRule

  /// How sure a crossing of it must be.
  public var mode: FenceMode { rule.mode }
  /// How long somebody must have been inside, by the times of the fixes, for an ENTER; 0 for none.
  public var dwellSeconds: UInt32 { rule.dwellSeconds }

  /// A fence and what decides its crossings.
  public init(
    id: RowID, version: FenceVersion, isActive: Bool, fence: PreparedFence, mode: FenceMode,
    dwellSeconds: UInt32
  ) {
    self.id = id
    self.version = version
    self.isActive = isActive
    self.fence = fence
    rule = CrossingRule(fence: id, version: version, mode: mode, dwellSeconds: dwellSeconds)
  }
}

/// What is asked about a fence with each fix inside: plain bytes, so that an array of them is read
/// without counting a reference.
struct CrossingRule: Sendable {
  let fence: RowID
  let version: FenceVersion
  let mode: FenceMode
  let dwellSeconds: UInt32
}
