internal import MusterModel

/// An active fence that bears on safety.
public struct SafetyZone: Sendable {
  /// As people call it.
  public let name: String
  /// Its outline.
  public let fence: PreparedFence

  /// A named zone.
  public init(name: String, fence: PreparedFence) {
    self.name = name
    self.fence = fence
  }
}
