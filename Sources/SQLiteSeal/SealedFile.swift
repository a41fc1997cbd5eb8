internal import GRDBSQLite
internal import MusterModel

/// A file of a `SealedDisk` as SQLite uses it: its methods, its `SealedHandle`, then the file of
/// the system's VFS, to which everything is forwarded.
///
/// SQLite reads and writes databases in whole pages, and its log in pages, frame headers and both
/// together. Other sizes are refused, since they cannot be sealed.
///
///     commit      page ── sealed ──▶ frame of the log, header and page in one write
///     checkpoint  frame of the log ── unchanged, once authenticated ──▶ page of the database
///     read        frame of the log or page of the database ── opened ──▶ page
enum SealedFile {
  typealias File = UnsafeMutablePointer<sqlite3_file>

  /// The size of what precedes the system's file, which must be aligned.
  static let headerBytes = 16

  static func inner(of file: File) -> File {
    (UnsafeMutableRawPointer(file) + headerBytes).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Retains the handle until the file is closed.
  static func keep(_ handle: SealedHandle, in file: File) {
    UnsafeMutableRawPointer(file).storeBytes(
      of: Unmanaged.passRetained(handle).toOpaque(), toByteOffset: 8,
      as: UnsafeMutableRawPointer.self)
  }

  static func handle(of file: File) -> SealedHandle { kept(in: file).takeUnretainedValue() }

  private static func kept(in file: File) -> Unmanaged<SealedHandle> {
    let handle = UnsafeRawPointer(file).load(fromByteOffset: 8, as: UnsafeRawPointer.self)
    return Unmanaged.fromOpaque(handle)
  }

  static func close(_ file: File) -> Int32 {
    let inner = inner(of: file)
    let flushed = handle(of: file).flush(to: inner)
    let closed = inner.pointee.pMethods.pointee.xClose(inner)
    kept(in: file).release()
    return flushed == SQLITE_OK ? closed : flushed
  }

  /// Writes the pending header, if any, before it accesses the system's file.
  static func flushed(_ file: File, then act: (File) -> Int32) -> Int32 {
    let inner = inner(of: file)
    let flushed = handle(of: file).flush(to: inner)
    return flushed == SQLITE_OK ? act(inner) : flushed
  }

  private static let unsound = CInt(SQLITE_IOERR) | 32 << 8
  private static let unreadable = CInt(SQLITE_IOERR) | 1 << 8
  private static let unwritable = CInt(SQLITE_IOERR) | 3 << 8

  private static func write(
    _ file: File, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    return inner.pointee.pMethods.pointee.xWrite(inner, bytes, Int32(count), offset)
  }

  // MARK: The database

  private static func readDatabase(
    _ file: File, _ bytes: UnsafeMutableRawPointer, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    let code = inner.pointee.pMethods.pointee.xRead(inner, bytes, count, offset)
    // SQLite also reads the header before it reads the first page.
    guard code == SQLITE_OK, offset + Int64(count) > PageSeal.headerBytes else { return code }
    guard count == PageSeal.pageBytes, let number = PageSeal.number(ofPageAt: offset),
      handle(of: file).seal.open(bytes, number: number)
    else { return unsound }
    return code
  }

  private static func writeDatabase(
    _ file: File, _ bytes: UnsafeRawPointer, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    guard count == PageSeal.pageBytes, let number = PageSeal.number(ofPageAt: offset) else {
      return unwritable
    }
    let handle = handle(of: file)
    if handle.isCopying { return write(file, bytes, Int(count), offset) }
    handle.room.copyMemory(from: bytes, byteCount: Int(count))
    handle.seal.seal(handle.room, number: number)
    return write(file, handle.room, Int(count), offset)
  }

  /// Handles SQLite's notifications that it begins and ends a checkpoint.
  private static func control(
    _ file: File, _ operation: Int32, _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    switch operation {
    case SQLITE_FCNTL_CKPT_START: handle(of: file).isCopying = true
    case SQLITE_FCNTL_CKPT_DONE: handle(of: file).isCopying = false
    default: break
    }
    let inner = inner(of: file)
    return inner.pointee.pMethods.pointee.xFileControl(inner, operation, argument)
  }

  // MARK: The write-ahead log

  private static func readLog(
    _ file: File, _ bytes: UnsafeMutableRawPointer, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let (inner, handle) = (inner(of: file), handle(of: file))
    let code = flushed(file) { $0.pointee.pMethods.pointee.xRead($0, bytes, count, offset) }
    guard code == SQLITE_OK, offset >= WriteAheadLog.headerBytes else { return code }
    let frame = WriteAheadLog.frame(at: offset)
    switch (WriteAheadLog.place(inFrameAt: offset), Int(count)) {
    case (0, WriteAheadLog.frameBytes):
      WriteAheadLog.unmask(bytes, at: offset, handle.seal)
      let page = bytes + WriteAheadLog.frameHeaderBytes
      let (number, mark) = (WriteAheadLog.number(inHeader: bytes), PageSeal.mark(of: page))
      // A frame torn by a power failure is not damage: SQLite finds its checksum wrong.
      let isSound = handle.seal.open(page, number: number)
      handle.frames.set(frame, isSound ? .init(number: number, mark: mark) : .init())
      return code
    case (WriteAheadLog.frameHeaderBytes, PageSeal.pageBytes):
      guard let held = handle.frames[frame], held.mark == PageSeal.mark(of: bytes) else {
        return unsound
      }
      let isSound =
        handle.database?.isCopying == true
        ? handle.seal.holds(bytes, number: held.number)
        : handle.seal.open(bytes, number: held.number)
      return isSound ? code : unsound
    case (WriteAheadLog.checksumOffset, 8):
      return readChecksum(inner, handle.seal, bytes, offset)
    default: return unreadable
    }
  }

  private static func readChecksum(
    _ inner: File, _ seal: PageSeal, _ bytes: UnsafeMutableRawPointer, _ offset: Int64
  ) -> Int32 {
    withUnsafeTemporaryAllocation(byteCount: WriteAheadLog.frameHeaderBytes, alignment: 8) {
      let (header, start) = ($0.baseAddress!, offset - Int64(WriteAheadLog.checksumOffset))
      let code = inner.pointee.pMethods.pointee.xRead(inner, header, Int32($0.count), start)
      guard code == SQLITE_OK else { return code }
      WriteAheadLog.unmask(header, at: start, seal)
      bytes.copyMemory(from: header + WriteAheadLog.checksumOffset, byteCount: 8)
      return code
    }
  }

  private static func writeLog(
    _ file: File, _ bytes: UnsafeRawPointer, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let handle = handle(of: file)
    guard offset >= WriteAheadLog.headerBytes else {
      return flushed(file) { _ in write(file, bytes, Int(count), offset) }
    }
    switch (WriteAheadLog.place(inFrameAt: offset), Int(count)) {
    case (0, WriteAheadLog.frameHeaderBytes):
      return flushed(file) { _ in
        handle.room.copyMemory(from: bytes, byteCount: Int(count))
        WriteAheadLog.unmask(handle.room, at: offset, handle.seal)
        handle.headerOffset = offset
        return SQLITE_OK
      }
    case (WriteAheadLog.frameHeaderBytes, PageSeal.pageBytes):
      // Other bytes here would be lost, and SQLite's checksum covers them.
      let free = UnsafeRawBufferPointer(
        start: bytes + PageSeal.textBytes, count: PageSeal.reservedBytes)
      guard free.allSatisfy({ $0 == 0 }) else { return unwritable }
      return writePage(file, handle, bytes, offset)
    default: return unwritable
    }
  }

  /// Writes a page of the log, with the header that preceded it, or into a frame of the same
  /// transaction whose page has changed since.
  private static func writePage(
    _ file: File, _ handle: SealedHandle, _ bytes: UnsafeRawPointer, _ offset: Int64
  ) -> Int32 {
    let frame = WriteAheadLog.frame(at: offset)
    let start = offset - Int64(WriteAheadLog.frameHeaderBytes)
    let hasHeader = handle.headerOffset == start
    if !hasHeader {
      let code = flushed(file) { _ in SQLITE_OK }
      guard code == SQLITE_OK else { return code }
    }
    let header = WriteAheadLog.number(inHeader: handle.room)
    guard let number = hasHeader ? header : handle.frames[frame]?.number else {
      return unwritable
    }
    let page = handle.room + WriteAheadLog.frameHeaderBytes
    page.copyMemory(from: bytes, byteCount: PageSeal.pageBytes)
    handle.seal.seal(page, number: number)
    handle.headerOffset = nil
    handle.frames.set(frame, .init(number: number, mark: PageSeal.mark(of: page)))
    let code =
      hasHeader
      ? write(file, handle.room, WriteAheadLog.frameBytes, start)
      : write(file, page, PageSeal.pageBytes, offset)
    if code == SQLITE_OK {
      handle.grow(inner(of: file), past: offset + Int64(PageSeal.pageBytes))
    }
    return code
  }

  // MARK: Methods

  /// `nonisolated(unsafe)`: written once, before any use.
  nonisolated(unsafe) static let database = methods { methods in
    methods.xRead = { SealedFile.readDatabase($0!, $1!, $2, $3) }
    methods.xWrite = { SealedFile.writeDatabase($0!, $1!, $2, $3) }
    methods.xFileControl = { SealedFile.control($0!, $1, $2) }
  }

  /// `nonisolated(unsafe)`: written once, before any use.
  nonisolated(unsafe) static let log = methods { methods in
    methods.xRead = { SealedFile.readLog($0!, $1!, $2, $3) }
    methods.xWrite = { SealedFile.writeLog($0!, $1!, $2, $3) }
  }

  private static func methods(
    _ change: (inout sqlite3_io_methods) -> Void
  ) -> UnsafePointer<sqlite3_io_methods> {
    var methods = sqlite3_io_methods()
    // Without memory mapping (version 3), which would bypass the seal.
    methods.iVersion = 2
    passOn(&methods)
    change(&methods)
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
  }
}
