public import MusterModel

/// The position of a frame: its log and its sequence.
public struct FramePosition: Hashable, Sendable, CustomStringConvertible {
  /// The log that it belongs to, or the strand of one that is forked.
  public let log: LogID
  /// 0 for the opening; at most `Limits.lastSequence` for any frame that is held.
  public let sequence: UInt64

  /// Creates a position, whether or not a frame is stored there.
  public init(log: LogID, sequence: UInt64) {
    self.log = log
    self.sequence = sequence
  }

  /// `1f2e3d4c/17`: the start of the log's id, and the sequence.
  public var description: String { "\(log.short)/\(sequence)" }
}

extension Frame {
  /// Its log, or the strand of it, and its sequence.
  public var place: FramePosition { FramePosition(log: strand, sequence: sequence) }
}
