internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The input of a stream of bytes.
public enum StreamInput: Hashable, Sendable {
  case standardInput
  /// A character device or a named pipe.
  case path(String)
}

/// The file descriptor of a receiver.
enum ReceiverDevice {
  /// The reason why it could not be opened, as the system reports it.
  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ path: String) { description = "\(path): " + String(cString: strerror(errno)) }
  }

  /// Opens an input without waiting for the other end. The caller closes it.
  ///
  /// A serial line is set to raw mode. Its speed stays as set by `stty`.
  static func open(_ input: StreamInput) throws(Failure) -> CInt {
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
          // The line may still work if it cannot be set.
          _ = tcsetattr(descriptor, TCSANOW, &settings)
        }
      }
      return descriptor
    }
  }
}
