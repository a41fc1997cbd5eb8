internal import Dispatch
internal import Foundation

/// The terminal while the live screen has it: another screen than the one with the shell's lines,
/// no cursor, keys as they are pressed. All is put back by `leave`.
///
/// `@unchecked Sendable`: what changes after `init` is guarded by `lock`.
final class LiveTerminal: @unchecked Sendable {
  /// What the person, or the system, wants.
  enum Wish: Sendable {
    case redraw
    case quit
  }

  private let before: termios
  private let lock = NSLock()
  private var hasLeft = false
  private var sources: [any DispatchSourceProtocol] = []

  /// Throws where there is no terminal on both sides.
  init() throws {
    var attributes = termios()
    guard isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &attributes) == 0 else {
      throw Refusal("that needs a terminal; `muster watch --once` prints one screen")
    }
    before = attributes
    attributes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &attributes) == 0 else {
      throw Refusal("the terminal cannot be set: \(String(cString: strerror(errno)))")
    }
    try Standard.write(Array("\u{1B}[?1049h\u{1B}[?25l".utf8))
  }

  /// Keys and signals, as wishes.
  func wishes(_ tell: @escaping @Sendable (Wish) -> Void) {
    let queue = DispatchQueue(label: "muster.watch")
    for (number, wish) in [
      (SIGWINCH, Wish.redraw), (SIGINT, .quit), (SIGTERM, .quit), (SIGHUP, .quit),
    ] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { tell(wish) }
      keep(source)
    }
    let keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    keys.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      // Nothing is the end of what could be typed.
      let quits = count <= 0 || bytes.prefix(count).contains { [3, 4, 113, 81].contains($0) }
      tell(quits ? .quit : .redraw)
    }
    keep(keys)
  }

  private func keep(_ source: any DispatchSourceProtocol) {
    lock.withLock { sources.append(source) }
    source.activate()
  }

  /// The screen in one write, so that nothing flickers: each line over the old one.
  func show(_ lines: [String]) throws {
    let body = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    try Standard.write(Array("\u{1B}[H\(body)\u{1B}[J".utf8))
  }

  /// Columns and rows; a usual size where the terminal does not say.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Puts the terminal back as it was. Doing so again does nothing.
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
      // The terminal has gone: there is nothing to put back.
    }
  }
}
