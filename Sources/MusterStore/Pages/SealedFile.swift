internal import GRDBSQLite

/// A file on a `SealedDisk`, as SQLite calls it: its methods, the disk's seal, then the file of the
/// system's own disk, to which everything is passed on.
///
/// SQLite reads and writes databases by whole pages, and its log by pages, headers of frames and
/// both together. What it asks for in any other piece is refused, since it cannot be sealed.
enum SealedFile {
  /// What comes before the system's file; it wants to be aligned.
  static let headerBytes = 16

  static func inner(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + headerBytes).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Keeps an unowned reference to the seal, which its disk holds.
  static func keep(_ seal: UnsafeMutableRawPointer, in file: UnsafeMutablePointer<sqlite3_file>) {
    UnsafeMutableRawPointer(file).storeBytes(
      of: seal, toByteOffset: 8, as: UnsafeMutableRawPointer.self)
  }

  private static func seal(of file: UnsafeMutablePointer<sqlite3_file>) -> PageSeal {
    let seal = UnsafeRawPointer(file).load(fromByteOffset: 8, as: UnsafeRawPointer.self)
    return Unmanaged.fromOpaque(seal).takeUnretainedValue()
  }

  private static let unsound = CInt(SQLITE_IOERR) | 32 << 8
  private static let unreadable = CInt(SQLITE_IOERR) | 1 << 8
  private static let unwritable = CInt(SQLITE_IOERR) | 3 << 8

  /// Passes a copy of the bytes on.
  private static func write(
    _ inner: UnsafeMutablePointer<sqlite3_file>, copyOf bytes: UnsafeRawPointer, _ count: Int,
    _ offset: Int64, after change: (UnsafeMutableRawPointer) -> Void
  ) -> Int32 {
    withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { copy in
      copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
      change(copy.baseAddress!)
      return inner.pointee.pMethods.pointee.xWrite(
        inner, copy.baseAddress, Int32(count), offset)
    }
  }

  // MARK: The database

  private static func readDatabase(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawPointer, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    let code = inner.pointee.pMethods.pointee.xRead(inner, bytes, count, offset)
    // SQLite also peeks at the header, before it reads the first page.
    guard code == SQLITE_OK, offset + Int64(count) > PageSeal.headerBytes else { return code }
    guard count == PageSeal.pageBytes, seal(of: file).open(bytes, at: .database(offset: offset))
    else { return unsound }
    return code
  }

  private static func writeDatabase(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    guard count == PageSeal.pageBytes else { return unwritable }
    return write(inner(of: file), copyOf: bytes, Int(count), offset) {
      seal(of: file).seal($0, at: .database(offset: offset))
    }
  }

  // MARK: The write-ahead log

  private static func readLog(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawPointer, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    let code = inner.pointee.pMethods.pointee.xRead(inner, bytes, count, offset)
    guard code == SQLITE_OK, offset >= WriteAheadLog.headerBytes else { return code }
    let seal = seal(of: file)
    switch (WriteAheadLog.place(inFrameAt: offset), Int(count)) {
    case (0, WriteAheadLog.frameBytes):
      WriteAheadLog.unmask(bytes, at: offset, seal)
      // A frame that a loss of power tore is not damage: SQLite finds its checksum wrong.
      _ = seal.open(
        bytes + WriteAheadLog.frameHeaderBytes,
        at: .log(offset: offset + Int64(WriteAheadLog.frameHeaderBytes)))
      return code
    case (WriteAheadLog.frameHeaderBytes, PageSeal.pageBytes):
      return seal.open(bytes, at: .log(offset: offset)) ? code : unsound
    case (WriteAheadLog.checksumOffset, 8):
      return withUnsafeTemporaryAllocation(
        byteCount: WriteAheadLog.frameHeaderBytes, alignment: 8
      ) { header in
        let start = offset - Int64(WriteAheadLog.checksumOffset)
        let code = inner.pointee.pMethods.pointee.xRead(
          inner, header.baseAddress, Int32(header.count), start)
        guard code == SQLITE_OK else { return code }
        WriteAheadLog.unmask(header.baseAddress!, at: start, seal)
        bytes.copyMemory(
          from: header.baseAddress! + WriteAheadLog.checksumOffset, byteCount: Int(count))
        return code
      }
    default: return unreadable
    }
  }

  private static func writeLog(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    guard offset >= WriteAheadLog.headerBytes else {
      return inner.pointee.pMethods.pointee.xWrite(inner, bytes, count, offset)
    }
    switch (WriteAheadLog.place(inFrameAt: offset), Int(count)) {
    case (0, WriteAheadLog.frameHeaderBytes):
      return write(inner, copyOf: bytes, Int(count), offset) {
        WriteAheadLog.unmask($0, at: offset, seal(of: file))
      }
    case (WriteAheadLog.frameHeaderBytes, PageSeal.pageBytes):
      // What would stand here could not be given back, and SQLite's checksum counts it.
      let free = UnsafeRawBufferPointer(
        start: bytes + PageSeal.textBytes, count: PageSeal.reservedBytes)
      guard free.allSatisfy({ $0 == 0 }) else { return unwritable }
      return write(inner, copyOf: bytes, Int(count), offset) {
        seal(of: file).seal($0, at: .log(offset: offset))
      }
    default: return unwritable
    }
  }

  // MARK: Methods

  /// `nonisolated(unsafe)`: written once, before anybody has it.
  nonisolated(unsafe) static let database = methods { methods in
    methods.xRead = { SealedFile.readDatabase($0!, $1!, $2, $3) }
    methods.xWrite = { SealedFile.writeDatabase($0!, $1!, $2, $3) }
  }

  /// `nonisolated(unsafe)`: written once, before anybody has it.
  nonisolated(unsafe) static let log = methods { methods in
    methods.xRead = { SealedFile.readLog($0!, $1!, $2, $3) }
    methods.xWrite = { SealedFile.writeLog($0!, $1!, $2, $3) }
  }

  private static func methods(
    _ change: (inout sqlite3_io_methods) -> Void
  ) -> UnsafePointer<sqlite3_io_methods> {
    var methods = sqlite3_io_methods()
    // Without the third version's mapping of files into memory, which would pass the seal by.
    methods.iVersion = 2
    passOn(&methods)
    change(&methods)
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
  }
}
