/// A key of the live screen.
enum WatchKey: Hashable, Sendable {
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
  case help
  case escape
  case quit

  /// What terminals send for each key (xterm control sequences), and letters for the same.
  private static let codes: [(code: [UInt8], key: WatchKey)] = [
    (.up, ["\u{1B}[A", "\u{1B}OA", "k"]),
    (.down, ["\u{1B}[B", "\u{1B}OB", "j", "\r"]),
    (.pageUp, ["\u{1B}[5~", "b"]),
    (.pageDown, ["\u{1B}[6~", " "]),
    (.home, ["\u{1B}[H", "\u{1B}OH", "\u{1B}[1~", "\u{1B}[7~", "g"]),
    (.end, ["\u{1B}[F", "\u{1B}OF", "\u{1B}[4~", "\u{1B}[8~", "G"]),
    (.help, ["?", "h"]),
    // Ctrl-C and Ctrl-D arrive as bytes.
    (.quit, ["q", "Q", "\u{3}", "\u{4}"]),
  ].flatMap { (key: WatchKey, codes: [String]) in codes.map { (Array($0.utf8), key) } }

  /// The keys with their meaning, for people.
  static let list = [
    "↑ ↓        k j        one line",
    "PgUp PgDn  b space    one screen",
    "Home End   g G        the first and the last line",
    "?          h          these keys, and back",
    "q          Ctrl-C     quit",
  ]

  /// Returns the keys in what a terminal sent at once; anything else is left out.
  static func keys(in bytes: [UInt8]) -> [WatchKey] {
    var (keys, rest) = ([WatchKey](), bytes[...])
    while let first = rest.first {
      if let match = codes.first(where: { rest.starts(with: $0.code) }) {
        keys.append(match.key)
        rest = rest.dropFirst(match.code.count)
      } else if first == 0x1B {
        let sequence = rest.dropFirst()
        if sequence.first == 0x5B {
          // Another control sequence: up to its final byte.
          rest = sequence.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
        } else {
          if sequence.isEmpty { keys.append(.escape) }
          rest = sequence.dropFirst()
        }
      } else {
        rest = rest.dropFirst()
      }
    }
    return keys
  }
}
