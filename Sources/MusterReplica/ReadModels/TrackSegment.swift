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
        let difference = value &- before
        Self.append(UInt64(bitPattern: (difference << 1) ^ (difference >> 63)), to: &bytes)
      }
      Self.append(fix.accuracyDecimetres.map { UInt64($0) + 1 } ?? 0, to: &bytes)
      last = now
    }
    return bytes
  }

  /// Returns nil for bytes that no version of this program writes.
  init?(decoding bytes: [UInt8]) {
    guard bytes.first == Self.version else { return nil }
    var rest = bytes.dropFirst()
    var fixes: [Fix] = []
    var last: [Int64] = [0, 0, 0]
    while !rest.isEmpty {
      guard fixes.count < Self.mostFixes else { return nil }
      for index in last.indices {
        guard let coded = Self.number(in: &rest) else { return nil }
        last[index] &+= Int64(bitPattern: coded >> 1) ^ -Int64(bitPattern: coded & 1)
      }
      guard let accuracy = Self.number(in: &rest), accuracy <= UInt64(UInt32.max) + 1,
        let position = Coordinate(latitudeE7: last[1], longitudeE7: last[2])
      else { return nil }
      fixes.append(
        Fix(
          position: position, accuracyDecimetres: accuracy == 0 ? nil : UInt32(accuracy - 1),
          sampleTime: Timestamp(milliseconds: last[0])))
    }
    self.fixes = fixes
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func number(in bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = bytes.popFirst(), shift < 63 || byte <= 1 else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
