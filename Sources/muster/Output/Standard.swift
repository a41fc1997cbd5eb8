internal import Foundation

/// Whoever read our output has closed it: there is nobody left to tell anything.
struct ClosedOutput: Error {}

/// The two standard streams. Answers go to the one, everything else to the other.
enum Standard {
  /// Writes a line, or several, to standard output.
  static func print(_ text: String) throws { try write(Array((text + "\n").utf8)) }

  /// Writes bytes as they are to standard output.
  static func write(_ bytes: [UInt8]) throws { try write(bytes, to: STDOUT_FILENO) }

  /// A question on standard error, without the end of its line.
  static func ask(_ question: String) throws { try write(Array(question.utf8), to: STDERR_FILENO) }

  /// Rings the bell of the terminal that standard error goes to.
  static func ring() {
    do {
      try write([7], to: STDERR_FILENO)
    } catch {
      // Nobody would hear it.
    }
  }

  /// One line on standard error, marked as ours.
  static func complain(_ reason: String) {
    let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
    do {
      try write(Array("muster: \(SafeText.line(line))\n".utf8), to: STDERR_FILENO)
    } catch {
      // There is no third stream to say so on.
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    try bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = Foundation.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
        if count >= 0 {
          done += count
        } else if errno == EPIPE {
          throw ClosedOutput()
        } else if errno != EINTR {
          throw Refusal("cannot write the answer: \(String(cString: strerror(errno)))")
        }
      }
    }
  }
}

/// What standard output is: decides on colours and on QR codes.
struct Screen: Hashable {
  /// Somebody is looking, rather than a file or a program.
  let isTerminal: Bool
  let showsColours: Bool
  /// Characters in a line; nil where that is unknown.
  let columns: Int?

  /// Colours are shown on a terminal unless `NO_COLOR` is set to anything (no-color.org).
  static var current: Screen {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return Screen(
      isTerminal: isTerminal,
      showsColours: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
        && environment["TERM"] != "dumb",
      columns: isKnown ? Int(size.ws_col) : nil)
  }
}
