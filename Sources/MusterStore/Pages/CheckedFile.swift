internal import GRDBSQLite

/// A database file on the `CheckedDisk`, as SQLite calls it: its methods, then the file of the
/// system's own disk, to which everything is passed on.
enum CheckedFile {
  /// What comes before the system's file; it wants to be aligned.
  static let headerBytes = 16

  static func inner(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + headerBytes).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// SQLite also peeks at the header of a file, before it reads the first page.
  private static let longestPeek = 100

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeMutableRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    let code = inner.pointee.pMethods.pointee.xRead(inner, bytes, count, offset)
    guard code == SQLITE_OK, count > longestPeek, let bytes else { return code }
    guard count == PageChecksum.pageBytes, PageChecksum.isSound(bytes, at: offset) else {
      return CInt(SQLITE_IOERR) | 32 << 8
    }
    return code
  }

  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    let inner = inner(of: file)
    guard count == PageChecksum.pageBytes, let bytes else {
      return inner.pointee.pMethods.pointee.xWrite(inner, bytes, count, offset)
    }
    return withUnsafeTemporaryAllocation(byteCount: PageChecksum.pageBytes, alignment: 8) { page in
      page.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: page.count))
      PageChecksum.seal(page.baseAddress!, at: offset)
      return inner.pointee.pMethods.pointee.xWrite(inner, page.baseAddress, count, offset)
    }
  }

  /// `nonisolated(unsafe)`: written once, before anybody has it.
  nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    // Without the third version's mapping of files into memory, which would pass the check by.
    methods.iVersion = 2
    methods.xRead = { file, bytes, count, offset in
      CheckedFile.read(file!, bytes, count, offset)
    }
    methods.xWrite = { file, bytes, count, offset in
      CheckedFile.write(file!, bytes, count, offset)
    }
    CheckedFile.passOn(&methods)
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
  }()

  /// What the check has no part in.
  private static func passOn(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { outer in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xClose(file)
    }
    methods.xTruncate = { outer, size in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xTruncate(file, size)
    }
    methods.xSync = { outer, flags in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xSync(file, flags)
    }
    methods.xFileSize = { outer, size in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xFileSize(file, size)
    }
    methods.xLock = { outer, level in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xLock(file, level)
    }
    methods.xUnlock = { outer, level in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xUnlock(file, level)
    }
    methods.xCheckReservedLock = { outer, answer in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xCheckReservedLock(file, answer)
    }
    methods.xFileControl = { outer, operation, argument in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xFileControl(file, operation, argument)
    }
    methods.xSectorSize = { outer in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xSectorSize(file)
    }
    methods.xDeviceCharacteristics = { outer in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xDeviceCharacteristics(file)
    }
    methods.xShmMap = { outer, page, size, extend, memory in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xShmMap(file, page, size, extend, memory)
    }
    methods.xShmLock = { outer, offset, count, flags in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xShmLock(file, offset, count, flags)
    }
    methods.xShmBarrier = { outer in
      let file = CheckedFile.inner(of: outer!)
      file.pointee.pMethods.pointee.xShmBarrier(file)
    }
    methods.xShmUnmap = { outer, isDeleted in
      let file = CheckedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xShmUnmap(file, isDeleted)
    }
  }
}
