internal import MusterCRDT
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Tracks of people: stored by their own node, and published in segments if command's settings
/// require it.
extension Replica {
  /// The key under which the published part of the own track is stored.
  private static let sharedKey = "shared track"
  /// The time after which an incomplete segment is published.
  private static let longestWaitMilliseconds: Int64 = 600_000

  /// Publishes a segment of the own track in the `history` lane, if it is required and due. Earlier
  /// fixes stay on this device. Called after each stored fix, and after a change of the settings.
  public mutating func shareTrack(isWanted: Bool, now: ClockReading) throws -> Outcome {
    let shared = try store.local(Self.sharedKey)
    guard isWanted, local.author.role == .command || local.author.role == .member else {
      guard shared != nil else { return Outcome() }
      return try transact(now: now) { $0.transaction.batch.forgotten.insert(Self.sharedKey) }
    }
    guard let shared else {
      let newest = try store.newestFixPlace()
      return try transact(now: now) { $0.noteShared(upTo: newest) }
    }
    let place = shared.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let waiting = try store.fixes(after: place, limit: TrackSegment.mostFixes)
    guard let first = waiting.first, let last = waiting.last,
      waiting.count == TrackSegment.mostFixes
        || now.wall.milliseconds(since: first.report.reportedAt) >= Self.longestWaitMilliseconds
    else { return Outcome() }
    var composer = own.compose(.track, now: now)
    let segment = TrackSegment(waiting.map(\.report.fix))
    composer.set(.trackPoints, to: .bytes(segment.encoded()))
    return try transact(now: now) { replica in
      replica.noteShared(upTo: last.place)
      try replica.append([composer.writes.map(Operation.write)], lane: .history, now: now)
    }
  }

  private mutating func noteShared(upTo place: Int64) {
    transaction.batch.local[Self.sharedKey] = withUnsafeBytes(of: place.bigEndian) { Array($0) }
  }
}
