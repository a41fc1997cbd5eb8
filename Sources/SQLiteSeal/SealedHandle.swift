internal import GRDBSQLite

/// The state of an open file of a `SealedDisk`.
final class SealedHandle {
  let seal: PageSeal
  /// The frames of the database's log.
  let frames: LogFrames
  /// For a log: its database.
  let database: SealedHandle?
  /// Whether a checkpoint copies pages from the log into the database, sealed as they are.
  var isCopying = false
  /// A buffer for a log frame or page in its on-disk form.
  let room: UnsafeMutableRawPointer
  /// The offset of a frame header that SQLite has written and that waits in `room` for its page.
  var headerOffset: Int64?

  /// The end of a log's file, if known. It grows in large steps, so that the sync of a commit
  /// rarely includes a change of the file size.
  private var end: Int64 = 0
  private static let growth: Int64 = 256 * 1024
  /// The system's VFS writes no more at once: it truncates longer lengths to 17 bits.
  private static let growthPiece = 64 * 1024

  /// Creates the handle of a database.
  init(seal: PageSeal, path: String) {
    self.seal = seal
    frames = seal.logFrames(ofDatabaseAt: path)
    database = nil
    room = Self.makeRoom()
  }

  /// Creates the handle of a database's log.
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

  /// Writes the pending header, whose page did not follow.
  func flush(to inner: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    guard let offset = headerOffset else { return SQLITE_OK }
    headerOffset = nil
    return inner.pointee.pMethods.pointee.xWrite(
      inner, room, Int32(WriteAheadLog.frameHeaderBytes), offset)
  }

  /// Extends a log's file with zeros beyond `written`, which SQLite takes for the end of the log.
  /// Without space on the volume the file grows with each write.
  func grow(_ inner: UnsafeMutablePointer<sqlite3_file>, past written: Int64) {
    guard written > end else { return }
    var size: sqlite3_int64 = 0
    guard inner.pointee.pMethods.pointee.xFileSize(inner, &size) == SQLITE_OK else { return }
    end = size
    guard written == size else { return }
    // After a failure it is not retried for each page.
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

  /// Records that the file was truncated to this size.
  func cut(to size: Int64) { end = size }
}
