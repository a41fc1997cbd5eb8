internal import MusterModel

/// The ranges that one peer asked for: fetched a piece at a time, as what waits for it leaves, so
/// that no wish fills the memory. Sets in their order, logs of one set in turn.
struct WantQueue: Sendable {
  struct Wish: Sendable {
    let log: LogID
    let set: SetID
    var from: UInt64
    var through: UInt64
    var kind = FetchRequest.Kind.frames
  }

  private var wishes: [Wish] = []
  /// A piece is being fetched: the next waits for it.
  private(set) var isFetching = false

  /// Frames in one piece: enough to reach a signature, and few enough to be fair.
  static let pieceFrames = 2 * Limits.signatureInterval

  var isEmpty: Bool { wishes.isEmpty }

  mutating func add(_ wish: Wish) {
    for index in wishes.indices
    where wishes[index].log == wish.log && wishes[index].kind == wish.kind {
      // Asked for again, or on: what is there already grows.
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

  /// The next piece; MUST be followed by `finishFetch`.
  mutating func beginFetch() -> Wish? {
    guard !isFetching, let first = wishes.first else { return nil }
    wishes.removeFirst()
    var piece = first
    if first.through - first.from >= Self.pieceFrames {
      // Pieces end where every holder keeps a signature.
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
