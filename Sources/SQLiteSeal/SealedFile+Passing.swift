internal import GRDBSQLite

extension SealedFile {
  /// Forwards the methods that sealing does not affect.
  static func passOn(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { SealedFile.close($0!) }
    methods.xTruncate = { outer, size in
      SealedFile.flushed(outer!) { file in
        SealedFile.handle(of: outer!).cut(to: size)
        return file.pointee.pMethods.pointee.xTruncate(file, size)
      }
    }
    methods.xSync = { outer, flags in
      SealedFile.flushed(outer!) { $0.pointee.pMethods.pointee.xSync($0, flags) }
    }
    methods.xFileSize = { outer, size in
      SealedFile.flushed(outer!) { $0.pointee.pMethods.pointee.xFileSize($0, size) }
    }
    methods.xLock = { outer, level in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xLock(file, level)
    }
    methods.xUnlock = { outer, level in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xUnlock(file, level)
    }
    methods.xCheckReservedLock = { outer, answer in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xCheckReservedLock(file, answer)
    }
    methods.xFileControl = { outer, operation, argument in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xFileControl(file, operation, argument)
    }
    methods.xSectorSize = { outer in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xSectorSize(file)
    }
    methods.xDeviceCharacteristics = { outer in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xDeviceCharacteristics(file)
    }
    methods.xShmMap = { outer, page, size, extend, memory in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xShmMap(file, page, size, extend, memory)
    }
    methods.xShmLock = { outer, offset, count, flags in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xShmLock(file, offset, count, flags)
    }
    methods.xShmBarrier = { outer in
      let file = SealedFile.inner(of: outer!)
      file.pointee.pMethods.pointee.xShmBarrier(file)
    }
    methods.xShmUnmap = { outer, isDeleted in
      let file = SealedFile.inner(of: outer!)
      return file.pointee.pMethods.pointee.xShmUnmap(file, isDeleted)
    }
  }
}
