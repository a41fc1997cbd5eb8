internal import MusterModel

/// A segment of a track, as in the field `trackPoints`: few bytes per fix, because each is coded as
/// the difference from the previous one.
///
/// A version (1), then for each fix four varints: the differences of time (ms), latitude and
/// longitude (1e-7 degree), zigzag-coded, from the previous fix or from zero; and the accuracy in
/// decimetres plus one, 0 if unknown.
struct TrackSegment: Hashable {
  /// So many always fit `Limits.trackSegmentBytes`, whatever their differences.
  static let mostFixes = 128
  private static let version: UInt8 = 1

  /// In the order in which they were recorded.
  let fixes: [Fix]

  /// Creates a segment of at most `mostFixes`.
  init(_ fixes: [Fix]) {
    precondition(fixes.count <= Self.mostFixes, "\(fixes.count) fixes in a track segment")
    self.fixes = fixes
  }

  func encoded() -> [UInt8] {
    var bytes = [Self.version]
    var last: [Int64] = [0, 0, 0]
    for fix in fixes {
      let now = [
        fix.sampleTime.milliseconds, Int64(fix.position.latitudeE7),
        Int64(fix.position.longitudeE7),
      ]
      for (value, before) in zip(now, last) {
        Varint.append(signed: value &- before, to: &bytes)
      }
      Varint.append(fix.accuracyDecimetres.map { UInt64($0) + 1 } ?? 0, to: &bytes)
      last = now
    }
    return bytes
  }

  /// Returns nil for bytes that no version of this program writes.
  init?(decoding bytes: [UInt8]) {
    guard bytes.first == Self.version else { return nil }
    var place = 1
    var fixes: [Fix] = []
    var last: [Int64] = [0, 0, 0]
    while place < bytes.count {
      guard fixes.count < Self.mostFixes else { return nil }
      for index in last.indices {
        guard let difference = Varint.signed(in: bytes, at: &place) else { return nil }
        last[index] &+= difference
      }
      guard let accuracy = Varint.number(in: bytes, at: &place), accuracy <= UInt64(UInt32.max) + 1,
        let position = Coordinate(latitudeE7: last[1], longitudeE7: last[2])
      else { return nil }
      fixes.append(
        Fix(
          position: position, accuracyDecimetres: accuracy == 0 ? nil : UInt32(accuracy - 1),
          sampleTime: Timestamp(milliseconds: last[0])))
    }
    self.fixes = fixes
  }
}
