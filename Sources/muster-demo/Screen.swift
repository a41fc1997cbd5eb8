internal import Foundation

/// The output of the demo: a terminal, on which a line can be redrawn, or a file.
struct Screen: Sendable {
  let isTerminal: Bool
  let showsColours: Bool
  let columns: Int

  enum Paint: String {
    case strong = "1"
    case faint = "2"
    case good = "32"
    case bad = "1;31"
    case doubtful = "33"
  }

  /// Standard output. `NO_COLOR` set to anything means no colours (no-color.org).
  init() {
    let environment = ProcessInfo.processInfo.environment
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
    showsColours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    columns = isKnown ? Int(size.ws_col) : 80
  }

  func paint(_ text: String, _ paint: Paint) -> String {
    showsColours && !text.isEmpty ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Throws if the output is closed, so that the demo ends.
  func write(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw ClosedOutput()
    }
  }
}

/// The reader of the demo's output has closed it.
struct ClosedOutput: Error {}
