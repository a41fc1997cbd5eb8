internal import Foundation

/// What SQLite keeps beside a database: the log of its latest changes in WAL mode, or after a crash
/// the journal of what an unfinished change replaced. Without it, the database is not complete.
enum SQLiteJournal {
  /// The endings of SQLite's own files.
  static let suffixes = ["-wal", "-shm", "-journal"]
  /// The first bytes of a SQLite file.
  static let magic = Array("SQLite format 3".utf8)

  /// Where the header of a database states its mode, and the number of WAL (file format 1.3.3).
  private static let (modeOffset, walMode) = (18, UInt8(2))

  /// Returns the ending of the file beside a database without which it is not complete; nil if it
  /// is complete.
  static func suffix(beside database: String) -> String? {
    let header = beginning(of: database, modeOffset + 1)
    guard header.starts(with: magic) else { return nil }
    if header.last == walMode {
      let log = beginning(of: database + "-wal", WriteAheadLog.headerBytes + 1)
      return log.count > WriteAheadLog.headerBytes ? "-wal" : nil
    }
    let journal = beginning(of: database + "-journal", RollbackJournal.magic.count)
    return journal == RollbackJournal.magic ? "-journal" : nil
  }

  /// Completes a database by what was beside it: our own reader, since both are a stranger's.
  ///
  /// - Parameters:
  ///   - database: the path of a copy, which is changed.
  ///   - journal: the path of the log or the journal.
  static func complete(_ database: String, by journal: String) throws {
    let bytes = try Data(contentsOf: URL(filePath: journal), options: .alwaysMapped)
    let file = try FileHandle(forUpdating: URL(filePath: database))
    let most = try file.seekToEnd() + UInt64(bytes.count)
    do {
      if let log = WriteAheadLog(bytes) {
        try log.pages(atMost: most).write(to: file)
      } else if let journal = RollbackJournal(bytes) {
        try journal.pages(atMost: most).write(to: file)
      } else {
        throw damaged
      }
      try file.synchronize()
      try file.close()
    } catch {
      try file.close()
      throw error
    }
  }

  /// Returns the first bytes of a file; fewer if it is shorter, none if it cannot be read.
  private static func beginning(of path: String, _ count: Int) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    do {
      return Array(try file.read(upToCount: count) ?? Data())
    } catch {
      return []
    }
  }

  fileprivate static let damaged = BaseMap.Fault(
    "the file of its latest changes is damaged: copy both again")

  /// Reads a number, most significant byte first unless stated otherwise.
  fileprivate static func number(
    _ bytes: Data, _ offset: Int, isLittleEndian: Bool = false
  ) -> UInt32 {
    let value = bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return isLittleEndian ? value.byteSwapped : value
  }

  /// Whether a number is a length of pages in SQLite.
  fileprivate static func isPageLength(_ count: Int) -> Bool {
    (512...65_536).contains(count) && count & (count - 1) == 0
  }

  /// Pages to write into a database, with the length that it then has.
  fileprivate struct Pages {
    let pageBytes: Int
    let bytes: Data
    /// Where each page begins in `bytes`, and its number from 1, in the order of writing.
    let places: [(number: Int, offset: Int)]
    let count: Int

    func write(to file: FileHandle) throws {
      for (number, offset) in places where number <= count {
        try file.seek(toOffset: UInt64(number - 1) * UInt64(pageBytes))
        try file.write(contentsOf: bytes[offset..<offset + pageBytes])
      }
      try file.truncate(atOffset: UInt64(count) * UInt64(pageBytes))
    }
  }
}

/// The log of a database in WAL mode (file format 4).
private struct WriteAheadLog {
  static let headerBytes = 32
  private static let frameHeaderBytes = 24
  /// The last bit states the order of bytes of the checksums.
  private static let magic: UInt32 = 0x377F_0682

  private let bytes: Data
  private let pageBytes: Int
  private let isLittleEndian: Bool

  init?(_ bytes: Data) {
    guard bytes.count >= Self.headerBytes else { return nil }
    let first = SQLiteJournal.number(bytes, 0)
    let pageBytes = Int(SQLiteJournal.number(bytes, 8))
    guard first & ~1 == Self.magic, SQLiteJournal.isPageLength(pageBytes) else { return nil }
    (self.bytes, self.pageBytes, isLittleEndian) = (bytes, pageBytes, first & 1 == 0)
  }

  /// The pages of all complete changes.
  ///
  /// - Parameter most: the most bytes that the database may have.
  func pages(atMost most: UInt64) throws -> SQLiteJournal.Pages {
    var (places, waiting): ([(number: Int, offset: Int)], [(number: Int, offset: Int)]) = ([], [])
    var pageCount = 0
    var sums = sums((0, 0), over: 0..<24)
    guard sums == stated(24) else { throw SQLiteJournal.damaged }
    var frame = Self.headerBytes
    while frame + Self.frameHeaderBytes + pageBytes <= bytes.count {
      let page = frame + Self.frameHeaderBytes
      sums = self.sums(self.sums(sums, over: frame..<frame + 8), over: page..<page + pageBytes)
      // The frames of an older log follow.
      guard bytes[frame + 8..<frame + 16] == bytes[16..<24], sums == stated(frame + 16) else {
        break
      }
      waiting.append((Int(SQLiteJournal.number(bytes, frame)), page))
      let count = Int(SQLiteJournal.number(bytes, frame + 4))
      if count > 0 {
        places += waiting
        (waiting, pageCount) = ([], count)
      }
      frame = page + pageBytes
    }
    guard pageCount > 0, UInt64(pageCount) * UInt64(pageBytes) <= most,
      places.allSatisfy({ $0.number > 0 })
    else { throw SQLiteJournal.damaged }
    return SQLiteJournal.Pages(
      pageBytes: pageBytes, bytes: bytes, places: places, count: pageCount)
  }

  private func stated(_ offset: Int) -> (UInt32, UInt32) {
    (SQLiteJournal.number(bytes, offset), SQLiteJournal.number(bytes, offset + 4))
  }

  private func sums(
    _ before: (UInt32, UInt32), over range: Range<Int>
  ) -> (UInt32, UInt32) {
    var (first, second) = before
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
      first &+= word(offset) &+ second
      second &+= word(offset + 4) &+ first
    }
    return (first, second)
  }

  private func word(_ offset: Int) -> UInt32 {
    SQLiteJournal.number(bytes, offset, isLittleEndian: isLittleEndian)
  }
}

/// The journal of an unfinished change (file format 3): what its pages were before.
private struct RollbackJournal {
  static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let headerBytes = 28
  private static let samplesApart = 200

  private let bytes: Data

  init?(_ bytes: Data) {
    guard bytes.count >= Self.headerBytes, bytes.starts(with: Self.magic) else { return nil }
    self.bytes = bytes
  }

  /// The pages before the change.
  ///
  /// - Parameter most: the most bytes that the database may have.
  func pages(atMost most: UInt64) throws -> SQLiteJournal.Pages {
    func number(_ offset: Int) -> Int { Int(SQLiteJournal.number(bytes, offset)) }
    let (pageCount, sectorBytes, pageBytes) = (number(16), number(20), number(24))
    guard SQLiteJournal.isPageLength(pageBytes), sectorBytes >= Self.headerBytes,
      UInt64(pageCount) * UInt64(pageBytes) <= most
    else { throw SQLiteJournal.damaged }
    var places: [(number: Int, offset: Int)] = []
    var pages: SQLiteJournal.Pages {
      SQLiteJournal.Pages(pageBytes: pageBytes, bytes: bytes, places: places, count: pageCount)
    }
    var known: Set<Int> = []
    var start = 0
    while start + Self.headerBytes <= bytes.count, bytes[start...].starts(with: Self.magic) {
      let seed = SQLiteJournal.number(bytes, start + 12)
      var record = start + sectorBytes
      var rest = number(start + 8)
      // Not known: all that follow.
      if rest == 0xFFFF_FFFF || rest == 0 { rest = .max }
      while rest > 0, record + pageBytes + 8 <= bytes.count {
        let (page, end) = (number(record), record + 4 + pageBytes)
        guard page > 0, sum(seed, endingAt: end, pageBytes) == SQLiteJournal.number(bytes, end)
        else { return pages }
        // The first is that before the change.
        if known.insert(page).inserted { places.append((page, record + 4)) }
        (record, rest) = (end + 4, rest - 1)
      }
      start = (record + sectorBytes - 1) / sectorBytes * sectorBytes
    }
    return pages
  }

  private func sum(_ seed: UInt32, endingAt end: Int, _ pageBytes: Int) -> UInt32 {
    stride(from: pageBytes - Self.samplesApart, to: 0, by: -Self.samplesApart).reduce(seed) {
      $0 &+ UInt32(bytes[end - pageBytes + $1])
    }
  }
}
