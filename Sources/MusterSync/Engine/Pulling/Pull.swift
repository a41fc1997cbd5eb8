internal import MusterModel

/// A log that is being fetched: which parts of what is missing who was asked for.
///
///     held │ segment of A │ segment of B │ segment of A │ nobody asked yet …
///          next                                         cursor          known heads
///
/// Segments end where every holder keeps a signature, so each is proved by itself, by frames that
/// one peer sent: a peer that lies spoils nobody else's.
struct Pull: Sendable {
  struct Segment: Sendable {
    let device: DeviceID
    var first: UInt64
    let last: UInt64
    /// Of its frames, those that have not come.
    var missing: Int
  }

  /// The first that nobody was asked for.
  var cursor: UInt64
  /// In no order.
  var segments: [Segment] = []
  /// What somebody was asked for in vain, to be asked of another.
  var returned: [ClosedRange<UInt64>] = []

  /// What a peer was asked for, of a range.
  func asked(_ range: ClosedRange<UInt64>, of device: DeviceID) -> [ClosedRange<UInt64>] {
    segments.compactMap { segment in
      segment.device == device && (segment.first...segment.last).overlaps(range)
        ? segment.first...segment.last : nil
    }
  }

  /// Counts what came of what a peer was asked for.
  mutating func noteArrival(_ sequences: [UInt64], from device: DeviceID) -> Int {
    guard let first = sequences.first, let last = sequences.last else { return 0 }
    var arrived = 0
    for index in segments.indices.reversed()
    where segments[index].device == device && segments[index].first <= last
      && segments[index].last >= first
    {
      let range = segments[index].first...segments[index].last
      let count = sequences.count { range.contains($0) }
      arrived += count
      segments[index].missing -= count
      if segments[index].missing == 0 { segments.remove(at: index) }
    }
    return arrived
  }

  /// Takes the next range to ask a peer for that holds the log up to `through`.
  mutating func take(next: UInt64, through: UInt64) -> ClosedRange<UInt64>? {
    cursor = max(cursor, next)
    returned = returned.compactMap {
      $0.upperBound < next ? nil : max($0.lowerBound, next)...$0.upperBound
    }
    if let index = returned.firstIndex(where: { $0.upperBound <= through }) {
      return returned.remove(at: index)
    }
    guard cursor <= through,
      cursor - next + Limits.signatureInterval <= Limits.bufferedFramesPerLog
    else { return nil }
    let boundary = (cursor + Limits.signatureInterval - 1) / Limits.signatureInterval
    let last = min(through, boundary * Limits.signatureInterval)
    defer { cursor = last + 1 }
    return cursor...last
  }
}
