public import MusterModel

/// How sure a crossing must be.
public enum CrossingMode: UInt8, Sendable, Hashable {
  /// EXIT waits until the whole accuracy circle is outside, or for a second fix outside.
  case careful
  /// EXIT at the first fix outside, whatever its accuracy, as AWS Location does it.
  case strictAWS
}

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
  /// How sure a crossing of it must be.
  public let mode: CrossingMode

  /// A fence and what decides its crossings.
  public init(
    id: RowID, version: FenceVersion, isActive: Bool, fence: PreparedFence, mode: CrossingMode
  ) {
    self.id = id
    self.version = version
    self.isActive = isActive
    self.fence = fence
    self.mode = mode
  }
}
