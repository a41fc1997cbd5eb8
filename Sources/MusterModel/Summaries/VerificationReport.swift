/// What came of re-checking every hash, signature and rule, and of rebuilding the view.
public struct VerificationReport: Hashable, Sendable {
  public var frames: Int
  public var logs: Int
  public var stateHash: StateHash
  /// One line each; none when all is well.
  public var problems: [String]

  public init(frames: Int, logs: Int, stateHash: StateHash, problems: [String]) {
    self.frames = frames
    self.logs = logs
    self.stateHash = stateHash
    self.problems = problems
  }

  public var isOK: Bool { problems.isEmpty }
}
