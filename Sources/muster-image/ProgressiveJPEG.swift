/// The scans of a progressive JPEG (ITU-T T.81 G): the first has the whole picture, coarsely, and
/// each of the others makes it finer.
enum ProgressiveJPEG {
  private static let (start, scan, progressive): (UInt8, UInt8, UInt8) = (0xD8, 0xDA, 0xC2)
  /// In a scan: a byte of 255 that is no mark, and marks to begin again after an error.
  private static let withinScan: Set<UInt8> = [0, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7]

  /// Returns the part of a picture without its end that can be read: without a segment that is cut
  /// off. Nil if its first scan is not complete and of all colours, or it is not progressive.
  static func readablePart(of bytes: [UInt8]) -> [UInt8]? {
    guard bytes.starts(with: [0xFF, start]) else { return nil }
    var (colours, scans, offset, end) = (0, 0, 2, bytes.count)
    while let mark = nextMark(in: bytes, from: &offset) {
      // Each segment states its length.
      let next = offset + 2 > bytes.count ? .max : offset + number(in: bytes, at: offset)
      guard next <= bytes.count else {
        end = offset - 2
        break
      }
      if mark == progressive, next > offset + 7 { colours = Int(bytes[offset + 7]) }
      if mark == scan {
        scans += 1
        guard scans > 1 || next > offset + 2 && Int(bytes[offset + 2]) == colours else {
          return nil
        }
      }
      offset = max(next, offset + 2)
    }
    return scans > 1 && colours > 0 ? Array(bytes[..<end]) : nil
  }

  private static func number(in bytes: [UInt8], at offset: Int) -> Int {
    Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }

  /// Returns the next mark of a segment, and moves behind it; nil at the end.
  private static func nextMark(in bytes: [UInt8], from offset: inout Int) -> UInt8? {
    while offset + 1 < bytes.count {
      if bytes[offset] == 0xFF, bytes[offset + 1] != 0xFF, !withinScan.contains(bytes[offset + 1]) {
        offset += 2
        return bytes[offset - 1]
      }
      offset += 1
    }
    return nil
  }
}
