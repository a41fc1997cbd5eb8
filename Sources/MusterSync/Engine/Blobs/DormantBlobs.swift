internal import MusterModel

/// Missing blobs that no peer holds. They are queried again when a peer connects or reports a unit,
/// and otherwise after pauses that double.
struct DormantBlobs: Sendable {
  private(set) var blobs: Set<BlobID> = []
  /// When they are queried again, and the pause before.
  private var wake: (at: Instant, pause: Int64)?

  private static let firstMilliseconds: Int64 = 10_000
  private static let mostMilliseconds: Int64 = 320_000

  var isEmpty: Bool { blobs.isEmpty }

  mutating func insert(_ id: BlobID) { blobs.insert(id) }
  mutating func remove(_ id: BlobID) { blobs.remove(id) }

  /// Removes and returns all when a peer connects.
  mutating func takeAll() -> Set<BlobID> {
    wake = nil
    return takeBlobs()
  }

  private mutating func takeBlobs() -> Set<BlobID> {
    defer { blobs = [] }
    return blobs
  }

  /// Removes and returns all when the pause is over.
  mutating func takeDue(now: Instant) -> Set<BlobID> {
    guard !blobs.isEmpty else {
      wake = nil
      return []
    }
    guard let due = wake else {
      wake = (now.advanced(byMilliseconds: Self.firstMilliseconds), Self.firstMilliseconds)
      return []
    }
    guard due.at <= now else { return [] }
    let pause = min(2 * due.pause, Self.mostMilliseconds)
    wake = (now.advanced(byMilliseconds: pause), pause)
    return takeBlobs()
  }
}
