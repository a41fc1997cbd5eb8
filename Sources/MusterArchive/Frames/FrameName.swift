internal import MusterModel

/// What names a frame in the archive: an entry of the primary key, and a lookup in its index.
struct FrameName: Hashable {
  let log: LogID
  let sequence: UInt64
  let hash: FrameHash

  init(_ frame: Frame) {
    (log, sequence, hash) = (frame.log, frame.sequence, frame.hash)
  }

  /// The newest frame of a log that a node holds.
  init(_ state: LogState) {
    (log, sequence, hash) = (state.log, state.last, state.hash)
  }

  /// The frame that another one follows; nil for the first of a log.
  init?(before frame: Frame) {
    guard frame.sequence > 0 else { return nil }
    (log, sequence, hash) = (frame.log, frame.sequence - 1, frame.previous)
  }
}
