internal import MusterModel

/// The ranges that one peer requested. They are fetched piece by piece as the send queue drains, so
/// that no request fills the memory. Sets are served in order, logs of one set round robin.
struct WantQueue: Sendable {
  struct Wish: Sendable {
    let log: LogID
    let set: SetID
    var from: UInt64
    var through: UInt64
    var kind = FetchRequest.Kind.frames
  }

  private var wishes: [Wish] = []
  /// Whether a piece is being fetched. The next one waits for it.
  private(set) var isFetching = false

  /// Frames per piece: enough to reach a signature, and few enough for fairness.
  static let pieceFrames = 2 * Limits.signatureInterval

  var isEmpty: Bool { wishes.isEmpty }

  mutating func add(_ wish: Wish) {
    for index in wishes.indices
    where wishes[index].log == wish.log && wishes[index].kind == wish.kind {
      // A repeated or adjacent request extends the queued one.
      guard wish.from <= wishes[index].through + 1, wishes[index].from <= wish.through + 1 else {
        continue
      }
      wishes[index].from = min(wishes[index].from, wish.from)
      wishes[index].through = max(wishes[index].through, wish.through)
      return
    }
    guard wishes.count < Limits.wantsPerPeer else { return }
    let index = wishes.firstIndex { $0.set > wish.set } ?? wishes.count
    wishes.insert(wish, at: index)
  }

  /// Starts the next piece. MUST be followed by `finishFetch`.
  mutating func beginFetch() -> Wish? {
    guard !isFetching, let first = wishes.first else { return nil }
    wishes.removeFirst()
    var piece = first
    if first.through - first.from >= Self.pieceFrames {
      // Pieces end at sequences where every holder keeps a signature.
      let end = (first.from + Self.pieceFrames - 1) / Limits.signatureInterval
      piece.through = end * Limits.signatureInterval
      var rest = first
      rest.from = piece.through + 1
      rest.kind = .frames
      let index = wishes.firstIndex { $0.set > first.set } ?? wishes.count
      wishes.insert(rest, at: index)
    }
    isFetching = true
    return piece
  }

  mutating func finishFetch() { isFetching = false }
}
