internal import GRDBSQLite

/// What is known of a file while SQLite has it open on a `SealedDisk`.
final class SealedHandle {
  let seal: PageSeal
  /// Of the database's log.
  let frames: LogFrames
  /// Of a log: the database that it belongs to.
  let database: SealedHandle?
  /// While SQLite copies pages from the log into the database: sealed as they are.
  var isCopying = false
  /// Room for a frame of the log or a page, as it goes to the disk.
  let room: UnsafeMutableRawPointer
  /// Where the header of a frame belongs that SQLite has written, and that waits in `room` to go to
  /// the disk with its page.
  var headerOffset: Int64?

  /// The end of a log's file, where known: it grows by much at a time, so that a commit's sync
  /// seldom waits for the file system to note a new length.
  private var end: Int64 = 0
  private static let growth: Int64 = 256 * 1024
  /// SQLite's own disk writes no more at once: of a longer piece it keeps the last 17 bits of the
  /// length.
  private static let growthPiece = 64 * 1024

  /// Of a database.
  init(seal: PageSeal, path: String) {
    self.seal = seal
    frames = seal.logFrames(ofDatabaseAt: path)
    database = nil
    room = Self.makeRoom()
  }

  /// Of a database's log.
  init(logOf database: SealedHandle) {
    seal = database.seal
    frames = database.frames
    self.database = database
    room = Self.makeRoom()
  }

  deinit { room.deallocate() }

  private static func makeRoom() -> UnsafeMutableRawPointer {
    .allocate(byteCount: WriteAheadLog.frameBytes, alignment: 16)
  }

  /// Writes the header that waits, whose page did not follow.
  func flush(to inner: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    guard let offset = headerOffset else { return SQLITE_OK }
    headerOffset = nil
    return inner.pointee.pMethods.pointee.xWrite(
      inner, room, Int32(WriteAheadLog.frameHeaderBytes), offset)
  }

  /// Lets a log's file grow past what has just been written up to `written`, by zeros, which SQLite
  /// takes for its end. Where there is no room it grows by what is written.
  func grow(_ inner: UnsafeMutablePointer<sqlite3_file>, past written: Int64) {
    guard written > end else { return }
    var size: sqlite3_int64 = 0
    guard inner.pointee.pMethods.pointee.xFileSize(inner, &size) == SQLITE_OK else { return }
    end = size
    guard written == size else { return }
    // Where it fails it is not tried again for each page.
    end = written + Self.growth
    withUnsafeTemporaryAllocation(byteCount: Self.growthPiece, alignment: 16) { zeros in
      zeros.initializeMemory(as: UInt8.self, repeating: 0)
      for offset in stride(from: written, to: end, by: Self.growthPiece) {
        let code = inner.pointee.pMethods.pointee.xWrite(
          inner, zeros.baseAddress, Int32(Self.growthPiece), offset)
        guard code == SQLITE_OK else { return }
      }
    }
  }

  /// The file is this long now.
  func cut(to size: Int64) { end = size }
}
