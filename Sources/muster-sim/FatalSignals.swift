import Foundation

/// Prints the replay command before a trap ends the process.
enum FatalSignals {
  /// Written by the only thread, read by its own signal handler.
  nonisolated(unsafe) private static var message: UnsafeMutableBufferPointer<UInt8>?

  static func announce(replay: String) {
    let bytes = Array("\ntrapped; replay: \(replay)\n".utf8)
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = buffer.initialize(from: bytes)
    message?.deallocate()
    message = buffer
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS] {
      signal(number) { number in
        if let message = FatalSignals.message { _ = write(2, message.baseAddress, message.count) }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
