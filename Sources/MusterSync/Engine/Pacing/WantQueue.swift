internal import MusterModel

/// The ranges that one peer requested. They are fetched piece by piece as the send queue drains, so
/// that no request fills the memory. Sets are served in order, logs of one set round robin.
struct WantQueue: Sendable {
  struct RequestedRange: Sendable {
    let log: LogID
    let set: SetID
    var from: UInt64
    var through: UInt64
    var kind = FetchRequest.Kind.frames
  }

  private var ranges: [RequestedRange] = []
  /// Whether a piece is being fetched. The next one waits for it.
  private(set) var isFetching = false

  /// Frames per piece: enough to reach a signature, and few enough for fairness.
  static let pieceFrames = 2 * Limits.signatureInterval

  var isEmpty: Bool { ranges.isEmpty }

  mutating func add(_ range: RequestedRange) {
    for index in ranges.indices
    where ranges[index].log == range.log && ranges[index].kind == range.kind {
      // A repeated or adjacent request extends the queued one.
      guard range.from <= ranges[index].through + 1, ranges[index].from <= range.through + 1 else {
        continue
      }
      ranges[index].from = min(ranges[index].from, range.from)
      ranges[index].through = max(ranges[index].through, range.through)
      return
    }
    guard ranges.count < Limits.wantsPerPeer else { return }
    let index = ranges.firstIndex { $0.set > range.set } ?? ranges.count
    ranges.insert(range, at: index)
  }

  /// Starts the next piece. MUST be followed by `finishFetch`.
  mutating func beginFetch() -> RequestedRange? {
    guard !isFetching, let first = ranges.first else { return nil }
    ranges.removeFirst()
    var piece = first
    if first.through - first.from >= Self.pieceFrames {
      // Pieces end at sequences where every holder keeps a signature.
      let end = (first.from + Self.pieceFrames - 1) / Limits.signatureInterval
      piece.through = end * Limits.signatureInterval
      var rest = first
      rest.from = piece.through + 1
      rest.kind = .frames
      let index = ranges.firstIndex { $0.set > first.set } ?? ranges.count
      ranges.insert(rest, at: index)
    }
    isFetching = true
    return piece
  }

  mutating func finishFetch() { isFetching = false }
}
