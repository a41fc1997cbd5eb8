/// The result of verifying every hash, signature and rule, and of rebuilding the view.
public struct VerificationReport: Codable, Hashable, Sendable {
  /// The number of frames verified.
  public var frames: Int
  /// The number of logs verified from their openings.
  public var logs: Int
  /// The number of parts of photos verified, of 16 KiB each.
  public var photoParts: Int
  /// The state hash of the current view, for comparison with other nodes.
  public var stateHash: StateHash
  /// One line for each problem found.
  public var problems: [String]

  /// Creates a report.
  public init(
    frames: Int, logs: Int, photoParts: Int = 0, stateHash: StateHash, problems: [String]
  ) {
    self.frames = frames
    self.logs = logs
    self.photoParts = photoParts
    self.stateHash = stateHash
    self.problems = problems
  }

  /// Whether no problem was found.
  public var isOK: Bool { problems.isEmpty }
}
