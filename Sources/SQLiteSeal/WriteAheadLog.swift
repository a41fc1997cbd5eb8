internal import Foundation

/// A reader of SQLite's write-ahead log. SQLite itself silently ignores everything from the first
/// frame with a wrong checksum on, whether a power failure tore the frame or the disk damaged it
/// later.
///
///     header (32 bytes): magic, version, page size, number, two salts, checksum
///     frame (24 + 4,096): page, size after a commit, the salts, checksum of all so far; the page
///
/// On a `SealedDisk` the page is sealed. The checksum in the frame's header is computed over the
/// plaintext and masked. While the log is open, `LogFrames` verifies the position of pages;
/// afterwards the checksums do.
///
/// (`https://www.sqlite.org/fileformat2.html`, section 4.) Frames with other salts are left from
/// earlier use. An invalid current frame is damage if a later transaction follows, since each
/// begins only once the previous one is on disk. In the last transaction it is the remainder of a
/// commit that was not acknowledged before a power failure; if it had been, the sentinel would be
/// ahead of the database.
package struct WriteAheadLog {
  static let headerBytes = 32
  static let frameHeaderBytes = 24
  static let frameBytes = frameHeaderBytes + PageSeal.pageBytes
  /// The offset in a frame's header.
  static let checksumOffset = 16

  /// One decrypted frame.
  package struct Frame {
    /// The page number in the database, from the frame's header.
    package let number: UInt32
    /// The offset of its page in the file.
    package let offset: Int
    /// The page, or its readable remainder if damaged.
    package let page: UnsafeRawBufferPointer
    /// Whether SQLite would read it.
    package let isValid: Bool
  }

  private let file: FileHandle
  private let seal: PageSeal
  private var isLittleEndian = true
  private var salts: (UInt32, UInt32) = (0, 0)
  private var checksum: (UInt32, UInt32) = (0, 0)
  private(set) var isDamaged = false

  /// Calls `body` with each complete frame in the file at this path, current or not. Returns
  /// whether any current frame is damaged. A missing file has no frames.
  package static func read(
    _ path: String, seal: PageSeal, _ body: (Frame) -> Void
  ) throws(SealFault) -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var log = WriteAheadLog(file: file, seal: seal)
      try log.walk(body)
      try file.close()
      return log.isDamaged
    } catch {
      throw SealFault(reason: "cannot read the database's log")
    }
  }

  private init(file: FileHandle, seal: PageSeal) {
    self.file = file
    self.seal = seal
  }

  /// Returns the index of the frame at this offset of the file, from 0.
  static func frame(at offset: Int64) -> Int {
    Int((offset - Int64(headerBytes)) / Int64(frameBytes))
  }

  /// Returns the page number in a frame's header.
  static func number(inHeader header: UnsafeRawPointer) -> UInt32 {
    UInt32(bigEndian: header.loadUnaligned(as: UInt32.self))
  }

  /// Returns the offset within its frame.
  static func place(inFrameAt offset: Int64) -> Int {
    Int((offset - Int64(headerBytes)) % Int64(frameBytes))
  }

  /// Masks or unmasks the checksum in a frame's header.
  static func unmask(_ header: UnsafeMutableRawPointer, at offset: Int64, _ seal: PageSeal) {
    let checksum = header.loadUnaligned(fromByteOffset: checksumOffset, as: UInt64.self)
    header.storeBytes(
      of: checksum ^ seal.mask(for: header, at: offset), toByteOffset: checksumOffset,
      as: UInt64.self)
  }

  private mutating func walk(_ body: (Frame) -> Void) throws {
    guard let header = try file.read(upToCount: Self.headerBytes),
      header.count == Self.headerBytes
    else { return }
    var isValid = header.withUnsafeBytes { takeHeader($0) }
    var isBlank = !isValid && header.allSatisfy { $0 == 0 }
    // Whether a whole transaction follows an invalid frame.
    var isAfterCommit = false
    if !isValid, !isBlank { isDamaged = true }
    var offset = Self.headerBytes
    while var bytes = try file.read(upToCount: Self.frameBytes), bytes.count == Self.frameBytes {
      if isBlank, bytes.contains(where: { $0 != 0 }) {
        (isBlank, isDamaged) = (false, true)
      }
      let pageOffset = offset + Self.frameHeaderBytes
      bytes.withUnsafeMutableBytes { bytes in
        let start = bytes.baseAddress!
        Self.unmask(start, at: Int64(offset), seal)
        let number = word(UnsafeRawBufferPointer(bytes), 0)
        let isSealed = seal.openDamaged(start + Self.frameHeaderBytes, number: number)
        let bytes = UnsafeRawBufferPointer(bytes)
        let isOurs = word(bytes, 8) == salts.0 || word(bytes, 12) == salts.1
        if isValid { isValid = isOurs && isSealed && extends(bytes) }
        if !isValid, isOurs, salts != (0, 0) {
          if isAfterCommit { isDamaged = true }
          if word(bytes, 4) != 0 { isAfterCommit = true }
        }
        let page = UnsafeRawBufferPointer(rebasing: bytes[Self.frameHeaderBytes...])
        body(Frame(number: number, offset: pageOffset, page: page, isValid: isValid))
      }
      offset += Self.frameBytes
    }
  }

  /// Returns whether the header is valid.
  private mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
    salts = (word(bytes, 16), word(bytes, 20))
    let magic = word(bytes, 0)
    isLittleEndian = magic == 0x377F_0682
    add(bytes, 0..<24)
    return (isLittleEndian || magic == 0x377F_0683) && word(bytes, 8) == PageSeal.pageBytes
      && checksum == (word(bytes, 24), word(bytes, 28))
  }

  private mutating func extends(_ frame: UnsafeRawBufferPointer) -> Bool {
    add(frame, 0..<8)
    add(frame, Self.frameHeaderBytes..<frame.count)
    return word(frame, 8) == salts.0 && word(frame, 12) == salts.1
      && checksum == (word(frame, 16), word(frame, 20))
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var (first, second) = checksum
    var index = range.lowerBound
    while index < range.upperBound {
      let left = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
      let right = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self)
      first = first &+ (isLittleEndian ? left.littleEndian : left.bigEndian) &+ second
      second = second &+ (isLittleEndian ? right.littleEndian : right.bigEndian) &+ first
      index += 8
    }
    checksum = (first, second)
  }

  private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
