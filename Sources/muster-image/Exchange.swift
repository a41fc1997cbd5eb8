#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whole messages on the standard input and output.
enum Exchange {
  /// Whether there is input, or its end, within the time.
  static func isReadable(within milliseconds: Int32) -> Bool {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&input, 1, milliseconds)
      if ready >= 0 { return ready == 1 }
      guard errno == EINTR else { return false }
    }
  }

  /// Returns nil at the end of the input.
  static func readCount() -> Int? {
    read(4).map { $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  /// Returns nil if the input ends before.
  static func read(_ count: Int) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = Self.systemRead(buffer.baseAddress?.advanced(by: filled), count - filled)
        if got > 0 {
          filled += got
        } else if got == 0 || errno != EINTR {
          isWhole = false
          return
        }
      }
    }
    return isWhole ? bytes : nil
  }

  /// Returns whether the reader received all of it.
  static func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let put = Self.systemWrite(buffer.baseAddress?.advanced(by: sent), buffer.count - sent)
        if put > 0 {
          sent += put
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }

  private static func systemRead(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(0, start, count)
    #else
      Darwin.read(0, start, count)
    #endif
  }

  private static func systemWrite(_ start: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(1, start, count)
    #else
      Darwin.write(1, start, count)
    #endif
  }
}
