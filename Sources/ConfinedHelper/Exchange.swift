#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Whole messages of a helper, from one descriptor and to its standard output.
public struct Exchange {
  /// How long a helper waits for its next work before it ends.
  public static let idleMilliseconds: Int32 = 60_000

  private let input: Int32

  /// - Parameter input: the descriptor that is read.
  public init(input: Int32) { self.input = input }

  /// Whether there is input, or its end, within the time.
  public func isReadable(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&entry, 1, milliseconds)
      if ready >= 0 { return ready == 1 }
      guard errno == EINTR else { return false }
    }
  }

  /// Reads a count of bytes, or another number of four bytes, most significant byte first. Returns
  /// nil at the end of the input.
  public func readCount() -> Int? {
    read(4).map { $0.reduce(0) { $0 << 8 | Int($1) } }
  }

  /// Returns nil if the input ends before.
  public func read(_ count: Int) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = systemRead(buffer.baseAddress?.advanced(by: filled), count - filled)
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
  public func write(_ bytes: [UInt8]) -> Bool {
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

  private func systemRead(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(input, start, count)
    #else
      Darwin.read(input, start, count)
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
