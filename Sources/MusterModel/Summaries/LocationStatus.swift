/// The state of a node's position source.
public struct LocationStatus: Codable, Hashable, Sendable {
  /// The source, such as `gpsd 127.0.0.1:2947`; empty without one.
  public var source: String
  /// The state of the source, in a few words; empty without one.
  public var state: String
  /// The sampling mode: `precise` or `coarse`.
  public var mode: String
  /// Fixes that were rejected or corrected since the node started, by reason.
  public var refused: [String: UInt64]
  /// Why the source gives no fix, and what to do, in one line; nil while it does, or without one.
  public var problem: Phrase?

  /// Creates a status. All values MUST be of one moment.
  public init(
    source: String, state: String, mode: String, refused: [String: UInt64], problem: Phrase?
  ) {
    self.source = source
    self.state = state
    self.mode = mode
    self.refused = refused
    self.problem = problem
  }
}
