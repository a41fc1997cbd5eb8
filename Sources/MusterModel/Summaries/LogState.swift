/// How far a node holds a log, or a strand of a forked log.
public struct LogState: Codable, Hashable, Sendable {
  /// The log, or the name of the strand.
  public var strand: LogID
  /// The log, or the log that the strand belongs to.
  public var log: LogID
  /// The lane of its frames.
  public var lane: Lane
  /// The sequence of its first frame: 0, or where a strand begins.
  public var first: UInt64
  /// The sequence of its newest frame.
  public var last: UInt64
  /// The hash of its newest frame.
  public var hash: FrameHash

  /// Creates a state from a held log.
  public init(_ log: LogSummary) {
    strand = log.head.log
    self.log = log.log
    lane = log.opening.lane
    first = log.first
    last = log.head.sequence
    hash = log.head.hash
  }
}

/// What a bundle contains, for a receiver that stated what it lacks: no records.
public struct BundleSelection: Codable, Hashable, Sendable {
  /// Where a log begins in the bundle.
  public struct Start: Codable, Hashable, Sendable {
    /// The log, or the name of a strand.
    public var log: LogID
    /// The first sequence that is included, if the log has it.
    public var first: UInt64

    /// Creates a start.
    public init(log: LogID, first: UInt64) {
      self.log = log
      self.first = first
    }
  }

  /// Logs that are not listed are not included.
  public var logs: [Start]
  /// Whether epoch keys are included, sealed to each device that may have them.
  public var includesKeys: Bool
  /// The photos' blobs that are included, as far as they are held; no others.
  public var blobs: [BlobID]

  /// Creates a selection.
  public init(logs: [Start], includesKeys: Bool, blobs: [BlobID] = []) {
    self.logs = logs
    self.includesKeys = includesKeys
    self.blobs = blobs
  }
}
