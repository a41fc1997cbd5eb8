/// A ZIP archive (PKWARE APPNOTE 6.3.3) of stored files, which is written piece by piece: photos
/// are compressed already. Has no dates, so that the output is deterministic.
///
/// Without ZIP64: at most 65,535 files and 4 GiB.
public struct ZipArchive {
  private var directory: [UInt8] = []
  private var files = 0
  private var offset = 0

  private static let mostFiles = 65_535
  private static let mostBytes = 0xFFFF_FFFF
  /// Bit 11: names are UTF-8.
  private static let flags: UInt64 = 0x0800
  /// 1 January 1980, the earliest date.
  private static let date: UInt64 = 0x0021

  /// Creates an empty archive.
  public init() {}

  /// Adds a file. Returns the bytes to write next; nil, without a change, if the archive is full.
  ///
  /// - Parameter name: a relative path, with `/`; MUST be unique.
  public mutating func add(_ name: String, _ contents: [UInt8]) -> [UInt8]? {
    let path = Array(name.utf8)
    let whole = offset + 30 + path.count + contents.count
    guard files < Self.mostFiles, path.count <= 0xFFFF,
      whole + directory.count + 46 + path.count + 22 <= Self.mostBytes
    else { return nil }
    let size = UInt64(contents.count)
    let shared: [(UInt64, Int)] = [
      (20, 2), (Self.flags, 2), (0, 2), (0, 2), (Self.date, 2),
      (UInt64(CRC32.of(contents)), 4), (size, 4), (size, 4), (UInt64(path.count), 2), (0, 2),
    ]
    let local = Self.bytes([(0x0403_4B50, 4)] + shared) + path + contents
    directory +=
      Self.bytes(
        [(0x0201_4B50, 4), (20, 2)] + shared
          + [(0, 2), (0, 2), (0, 2), (0, 4), (UInt64(offset), 4)]) + path
    files += 1
    offset = whole
    return local
  }

  /// Returns the end of the archive, after all files.
  public func end() -> [UInt8] {
    let count = UInt64(files)
    return directory
      + Self.bytes([
        (0x0605_4B50, 4), (0, 2), (0, 2), (count, 2), (count, 2), (UInt64(directory.count), 4),
        (UInt64(offset), 4), (0, 2),
      ])
  }

  /// Encodes numbers with their width in bytes, least significant byte first.
  private static func bytes(_ numbers: [(value: UInt64, width: Int)]) -> [UInt8] {
    numbers.flatMap { number in
      (0..<number.width).map { UInt8(truncatingIfNeeded: number.value >> UInt64(8 * $0)) }
    }
  }
}

/// The checksum of ZIP (ISO 3309).
private enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    let table = table
    return ~bytes.reduce(~UInt32(0)) { crc, byte in
      crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
    }
  }
}
