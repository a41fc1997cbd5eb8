/// What came of re-checking every hash, signature and rule, and of rebuilding the view.
public struct VerificationReport: Codable, Hashable, Sendable {
  /// How many were checked.
  public var frames: Int
  /// How many chains were followed from their openings.
  public var logs: Int
  /// Of the view as it stands, for comparing with other nodes.
  public var stateHash: StateHash
  /// One line each; none when all is well.
  public var problems: [String]

  /// One problem is enough to make the whole not OK.
  public init(frames: Int, logs: Int, stateHash: StateHash, problems: [String]) {
    self.frames = frames
    self.logs = logs
    self.stateHash = stateHash
    self.problems = problems
  }

  /// Whether what is held can be relied on.
  public var isOK: Bool { problems.isEmpty }
}
