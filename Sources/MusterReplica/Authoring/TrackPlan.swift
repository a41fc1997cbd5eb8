internal import MusterModel
internal import MusterStore

/// What is to be published of the own track: each person's own node stores it, and publishes it in
/// segments if command's settings require it.
enum TrackPlan {
  case nothing
  /// It is no longer required.
  case stop
  /// It is required from this fix on.
  case start(place: Int64)
  /// A segment is due, up to a fix.
  case publish(TrackSegment, upTo: Int64)

  /// The key under which the published part is stored.
  private static let key = "shared track"
  /// The time after which an incomplete segment is published.
  private static let longestWaitMilliseconds: Int64 = 600_000

  init(in context: ReadContext, isWanted: Bool, now: Timestamp) throws(StoreError) {
    let store = context.store
    let (shared, role) = (try store.local(Self.key), context.local.author.role)
    guard isWanted, role == .command || role == .member else {
      self = shared == nil ? .nothing : .stop
      return
    }
    guard let shared else {
      self = .start(place: try store.newestFixPlace())
      return
    }
    let place = shared.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let waiting = try store.fixes(after: place, limit: TrackSegment.mostFixes)
    guard let first = waiting.first, let last = waiting.last,
      waiting.count == TrackSegment.mostFixes
        || now.milliseconds(since: first.report.reportedAt) >= Self.longestWaitMilliseconds
    else {
      self = .nothing
      return
    }
    self = .publish(TrackSegment(waiting.map(\.report.fix)), upTo: last.place)
  }

  /// Stores with the next commit that nothing is published any more.
  static func forget(in batch: inout Batch) { batch.forgotten.insert(key) }

  /// Stores with the next commit how far the track is published.
  static func note(upTo place: Int64, in batch: inout Batch) {
    batch.local[key] = withUnsafeBytes(of: place.bigEndian) { Array($0) }
  }
}
