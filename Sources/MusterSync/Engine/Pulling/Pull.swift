internal import MusterModel

/// The download of one log: which missing ranges were requested from which peer.
///
///     held │ segment of A │ segment of B │ segment of A │ not requested yet …
///          next                                         cursor       known heads
///
/// Segments end at sequences where every holder keeps a signature. Each is verified on its own,
/// from frames of one peer, so that an invalid segment affects no other peer's.
struct Pull: Sendable {
  struct Segment: Sendable {
    let device: DeviceID
    var first: UInt64
    let last: UInt64
    /// How many of its frames have not arrived.
    var missing: Int
  }

  /// The first sequence that has not been requested.
  var cursor: UInt64
  /// In unspecified order.
  var segments: [Segment] = []
  /// Ranges that one peer did not deliver, to be requested from another.
  var returned: [ClosedRange<UInt64>] = []

  /// Returns the parts of a range that were requested from a peer.
  func asked(_ range: ClosedRange<UInt64>, of device: DeviceID) -> [ClosedRange<UInt64>] {
    segments.compactMap { segment in
      segment.device == device && (segment.first...segment.last).overlaps(range)
        ? segment.first...segment.last : nil
    }
  }

  /// Counts the arrived frames that were requested from a peer.
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

  /// Takes the next range to request from a peer that holds the log up to `through`.
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
