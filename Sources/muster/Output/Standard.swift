internal import Foundation
internal import MusterModel

/// The reader of standard output has closed it: nothing more can be printed.
struct ClosedOutput: Error {}

/// The two standard streams. Answers go to standard output, everything else to standard error.
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
      // A bell that cannot be rung changes nothing.
    }
  }

  /// Writes one line to standard error, marked as ours.
  static func complain(_ reason: String) {
    write(complaint: reason.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  /// Shows a QR code on standard error, if it is a terminal that is wide enough.
  static func showForPhones(_ code: QRCode) {
    guard let columns = Screen.errorColumns, columns >= code.columns else { return }
    do {
      try write(Array((code.lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
    } catch {
      // The address is printed as text too.
    }
  }

  /// Writes what is wrong and, on a second line, what to do next.
  static func explain(_ usage: String) {
    for (index, line) in usage.split(separator: "\n").prefix(2).enumerated() {
      write(complaint: String(line), prefix: index == 0 ? "muster: " : "")
    }
  }

  private static func write(complaint line: String, prefix: String = "muster: ") {
    do {
      let text = wrapped(prefix + SafeText.line(line), to: Screen.errorColumns)
      try write(Array((text + "\n").utf8), to: STDERR_FILENO)
    } catch {
      // There is no third stream to report it on.
    }
  }

  /// Wraps text between its words. Text with a word that does not fit stays on one line, so that a
  /// long address can be copied from the terminal.
  static func wrapped(_ text: String, to columns: Int?) -> String {
    guard let columns, DisplayWidth.of(text) > columns else { return text }
    let words = text.split(separator: " ").map(String.init)
    guard words.allSatisfy({ DisplayWidth.of($0) + 2 <= columns }) else { return text }
    return WrappedText(words: words, width: columns, indent: "  ").lines.joined(separator: "\n")
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

/// What standard output is: decides on colours, on the width of tables and on QR codes.
struct Screen: Hashable {
  /// A person is looking, rather than a file or a program.
  let isTerminal: Bool
  let showsColours: Bool
  /// Columns of the terminal; nil for a file or a pipe, where nothing is wrapped.
  let columns: Int?

  /// Colours are shown on a terminal unless `NO_COLOR` is set to anything (no-color.org).
  static var current: Screen {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) == 1
    return Screen(
      isTerminal: isTerminal,
      showsColours: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
        && environment["TERM"] != "dumb",
      columns: isTerminal ? width(environment["COLUMNS"]) : nil)
  }

  /// The columns of standard error; nil if it is no terminal.
  static var errorColumns: Int? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    return width(ProcessInfo.processInfo.environment["COLUMNS"], of: STDERR_FILENO)
  }

  /// `COLUMNS` goes before what the terminal reports, as in other programs.
  private static func width(_ variable: String?, of descriptor: Int32 = STDOUT_FILENO) -> Int {
    if let wanted = variable.flatMap(Int.init), (1...10_000).contains(wanted) { return wanted }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : 80
  }
}
