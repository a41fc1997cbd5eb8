internal import Dispatch
internal import Foundation

/// The terminal during the live screen: alternate screen, no cursor, unbuffered keys. `leave`
/// restores it.
///
/// `@unchecked Sendable`: `lock` guards every property that changes after `init`.
final class LiveTerminal: @unchecked Sendable {
  private let before: termios
  private let lock = NSLock()
  private var hasLeft = false
  private var sources: [any DispatchSourceProtocol] = []

  /// Throws `Refusal` unless standard input and output are a terminal.
  init() throws {
    var attributes = termios()
    guard isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &attributes) == 0 else {
      throw Refusal("watch needs a terminal: use `muster watch --once` to print one screen")
    }
    before = attributes
    attributes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &attributes) == 0 else {
      throw Refusal("the terminal cannot be set: \(String(cString: strerror(errno)))")
    }
    try Standard.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
  }

  /// Puts keys and signals into a queue.
  func collect(into work: WatchQueue) {
    let queue = DispatchQueue(label: "muster.watch")
    for number in [SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { number == SIGWINCH ? work.press([]) : work.quit() }
      keep(source)
    }
    let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    keys.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      // No bytes: the input has ended.
      if count > 0 {
        work.press(WatchKey.keys(in: Array(bytes.prefix(count))))
      } else {
        work.quit()
      }
    }
    keep(keys)
  }

  private func keep(_ source: any DispatchSourceProtocol) {
    lock.withLock { sources.append(source) }
    source.activate()
  }

  /// Draws the screen in one write, each line over the old one, to avoid flicker.
  func show(_ lines: [String]) throws {
    let body = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    try Standard.write(Array("\u{1B}[H\(body)\u{1B}[J".utf8))
  }

  /// Columns and rows; 80 by 24 if the terminal reports none.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Restores the terminal. Idempotent.
  func leave() {
    let isFirst = lock.withLock {
      defer { hasLeft = true }
      for source in sources { source.cancel() }
      return !hasLeft
    }
    guard isFirst else { return }
    var attributes = before
    tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
    do {
      try Standard.write(Array("\u{1B}[?25h\u{1B}[?1049l".utf8))
    } catch {
      // The terminal has gone: there is nothing to restore.
    }
  }
}
