/// What the live screen shows of its lines, as the keys set it.
struct WatchScroll: Hashable, Sendable {
  /// The first line that is shown.
  private(set) var top = 0
  private(set) var showsHelp = false
  /// The largest top, and the lines of one page: of the screen that was shown last.
  private var last = 0
  private var page = 1

  /// Moves by a key.
  mutating func press(_ key: WatchKey) {
    guard !showsHelp else {
      showsHelp = false
      return
    }
    switch key {
    case .up: move(to: top - 1)
    case .down: move(to: top + 1)
    case .pageUp: move(to: top - page)
    case .pageDown: move(to: top + page)
    case .home: move(to: 0)
    case .end: move(to: last)
    case .help: showsHelp = true
    case .escape, .quit: break
    }
  }

  /// Fits it to a number of lines and the room for them, of which one less is shown if the most
  /// urgent line is repeated above them.
  mutating func fit(_ lines: Int, in room: Int, isTopRepeated: Bool) {
    let below = isTopRepeated ? max(0, room - 1) : room
    last = lines <= room ? 0 : lines - below
    // One line of the page before stays in view.
    page = max(1, below - 1)
    move(to: top)
  }

  private mutating func move(to line: Int) { top = min(max(0, line), last) }
}
