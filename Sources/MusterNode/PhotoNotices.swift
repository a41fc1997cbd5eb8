internal import MusterModel

/// The progress of photos, which subscribers receive as changes of their reports: at most once a
/// second, and so rarely that a node with many reports has time for other work.
struct PhotoNotices: Sendable {
  private static let restMicroseconds: Int64 = 1_000_000
  /// Finding the reports takes at most this fraction of a node's time.
  private static let thrift: Int64 = 20

  private var grown: Set<BlobID> = []
  private var restEnds = Instant(microseconds: 0)

  /// When the progress is to be announced; nil while there is none.
  var due: Instant? { grown.isEmpty ? nil : restEnds }

  mutating func note(_ blobs: Set<BlobID>) { grown.formUnion(blobs) }

  /// Returns the blobs whose progress is due, and forgets them.
  mutating func take(now: Instant) -> Set<BlobID> {
    guard let due, due <= now else { return [] }
    defer { grown = [] }
    return grown
  }

  /// Records how long it took to find the reports.
  mutating func announced(from start: Instant, to end: Instant) {
    let taken = max(0, end.microseconds - start.microseconds)
    let rest = max(Self.restMicroseconds, Self.thrift * taken)
    restEnds = Instant(microseconds: end.microseconds + rest)
  }
}
