internal import Foundation

/// The file that SQLite writes ahead, read without SQLite: it silently ignores everything from the
/// first frame on whose checksum does not hold, whether a loss of power tore the frame or the disk
/// spoiled it later.
///
///     header (32 bytes): magic, version, page size, number, two salts, checksum
///     frame (24 + 4,096): page, size after a commit, the salts, checksum of all so far; the page
///
/// On a `SealedDisk` the page is sealed, and the checksum in the frame's header, which is computed
/// of its text, hidden by a mask. Which page belongs where in the log only `LogFrames` knows while
/// it is open, and the checksums tell when it is not.
///
/// (`https://www.sqlite.org/fileformat2.html`, section 4.) Frames with other salts are of earlier
/// times. A frame of this time that does not hold is damage where a later transaction follows, for
/// each begins only once the one before is on the disk. In the last one it is what a loss of power
/// leaves of a commit that nobody was told of; had somebody been told, the sentinel knows more than
/// the database.
struct WriteAheadLog {
  static let headerBytes = 32
  static let frameHeaderBytes = 24
  static let frameBytes = frameHeaderBytes + PageSeal.pageBytes
  /// In the header of a frame.
  static let checksumOffset = 16

  /// One frame, opened.
  struct Frame {
    /// The number of the page in the database, as the frame's header tells it.
    let number: UInt32
    /// Where its page begins in the file.
    let offset: Int
    /// As it was written, or what is left of it.
    let page: UnsafeRawBufferPointer
    /// Whether SQLite would read it.
    let isValid: Bool
  }

  private let file: FileHandle
  private let seal: PageSeal
  private var isLittleEndian = true
  private var salts: (UInt32, UInt32) = (0, 0)
  private var checksum: (UInt32, UInt32) = (0, 0)
  private(set) var isDamaged = false

  /// Calls `body` with each whole frame in the file at this path, whoever wrote it when; answers
  /// whether any of them is damaged. A file that is not there has none.
  static func read(
    _ path: String, seal: PageSeal, _ body: (Frame) -> Void
  ) throws(StoreError) -> Bool {
    guard FileManager.default.fileExists(atPath: path) else { return false }
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      var log = WriteAheadLog(file: file, seal: seal)
      try log.walk(body)
      try file.close()
      return log.isDamaged
    } catch {
      throw StoreError.io("cannot read the database's log")
    }
  }

  private init(file: FileHandle, seal: PageSeal) {
    self.file = file
    self.seal = seal
  }

  /// Which frame the byte at this offset of the file is in, counted from 0.
  static func frame(at offset: Int64) -> Int {
    Int((offset - Int64(headerBytes)) / Int64(frameBytes))
  }

  /// The number that a frame's header gives its page.
  static func number(inHeader header: UnsafeRawPointer) -> UInt32 {
    UInt32(bigEndian: header.loadUnaligned(as: UInt32.self))
  }

  /// Where in its frame the byte at this offset of the file is.
  static func place(inFrameAt offset: Int64) -> Int {
    Int((offset - Int64(headerBytes)) % Int64(frameBytes))
  }

  /// Hides the checksum in a frame's header, or shows it again.
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
    // Of what does not hold, a whole transaction has been passed.
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
        let isSealed = seal.openWreck(start + Self.frameHeaderBytes, number: number)
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

  /// Whether the header holds.
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
