internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file descriptor that receivers' sentences come from.
enum ReceiverDevice {
  /// Why it could not be opened, in the system's words.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String) { description = "\(path): " + String(cString: strerror(errno)) }
  }

  /// Opens an input without waiting for anybody at its other end. The caller closes it.
  ///
  /// A terminal line is set to pass bytes as they are; its speed stays as `stty` has set it.
  static func open(_ input: NMEAStreamSource.Input) throws(Failure) -> CInt {
    switch input {
    case .standardInput:
      let copy = dup(STDIN_FILENO)
      guard copy >= 0 else { throw Failure("standard input") }
      return copy
    case .path(let path):
      let descriptor = Foundation.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure(path) }
      if isatty(descriptor) == 1 {
        var settings = termios()
        if tcgetattr(descriptor, &settings) == 0 {
          cfmakeraw(&settings)
          // A line that cannot be set may still be right.
          _ = tcsetattr(descriptor, TCSANOW, &settings)
        }
      }
      return descriptor
    }
  }
}
