/// What a run came to.
public struct RunResult: Sendable {
  /// The scenario's name.
  public let scenario: String
  /// Of all choices: with the scenario it determines all else.
  public let seed: UInt64
  /// Of everything that happened, in order.
  public let traceHash: String
  /// With warm-up and settling.
  public let simulatedSeconds: Double
  /// How many took part.
  public let nodes: Int
  /// The number of acknowledged writes and crossings.
  public let acknowledgedWrites: Int
  /// From the heal until all agreed; nil where they did not in time.
  public let convergedMilliseconds: Int64?
  /// By all nodes, headers included, over the whole run.
  public let bytesSent: Int
  /// A multicast counts once.
  public let datagrams: Int
  /// Promises that did not hold; none when all is well.
  public let violations: [Violation]
  /// On average over nodes, in the story alone.
  public let bytesPerSecondPerNode: Int64
  /// How often each configured fault happened.
  public let knobs: [Knob: Int]
  /// How long reports took to be shown everywhere; nil where there were none.
  public let reports: DelaySummary?
  /// The same of hazards.
  public let hazards: DelaySummary?
  /// Datagrams that were dropped, by reason.
  public let rejections: [String: Int]
  /// Commits and starts that failed, by reason.
  public let failures: [String: Int]
}

/// How long something took.
public struct DelaySummary: Hashable, Sendable {
  /// How many there were.
  public let count: Int
  /// Half of them took no longer.
  public let medianMilliseconds: Int64
  /// The slowest.
  public let longestMilliseconds: Int64
}
