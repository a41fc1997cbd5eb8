/// How a node learns where its laptop is.
public struct LocationStatus: Codable, Hashable, Sendable {
  /// What it listens to, as `gpsd 127.0.0.1:2947`; empty where there is none.
  public var source: String
  /// How that stands, in a few words; empty where there is none.
  public var state: String
  /// How closely it looks: `precise` or `coarse`.
  public var mode: String
  /// What sources said that was not used or was put right, by reason, since the node started.
  public var refused: [String: UInt64]

  /// Taken at one moment.
  public init(source: String, state: String, mode: String, refused: [String: UInt64]) {
    self.source = source
    self.state = state
    self.mode = mode
    self.refused = refused
  }
}
