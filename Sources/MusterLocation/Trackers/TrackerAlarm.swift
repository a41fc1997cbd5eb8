internal import MusterModel

/// An alarm of a phone: the field `alarm` of its message, in the words of Traccar.
///
/// Apps send technical alarms in the same field, such as a low battery. What a person raises, and
/// what means a fall or an accident, calls for help. A word that is in neither list is another
/// alarm: it is shown, and calls no one.
public struct TrackerAlarm: Hashable, Sendable {
  /// The stated word, for display: one line.
  public let word: String
  /// Whether it calls for help.
  public let isCall: Bool

  /// Words that call for help, in lower case and without blanks, `_` and `-`.
  static let calls: Set<String> = [
    "sos", "panic", "help", "mayday", "emergency", "duress", "general", "falldown", "fall",
    "mandown", "accident", "crash", "1", "true", "yes", "on",
  ]
  /// Words that state that there is no alarm.
  static let none: Set<String> = ["", "0", "false", "no", "off", "none", "null", "normal"]

  private static let longestBytes = 64

  /// Reads the field; nil for no alarm. Of several words the first that calls for help counts.
  init?(_ value: PhoneValue?) {
    var words: [String] = []
    Self.collect(value, into: &words, depth: 0)
    let alarms = words.filter { !Self.none.contains(Self.key($0)) }
    guard let word = alarms.first(where: { Self.calls.contains(Self.key($0)) }) ?? alarms.first
    else { return nil }
    isCall = Self.calls.contains(Self.key(word))
    self.word = Self.shown(word)
  }

  private static func collect(_ value: PhoneValue?, into words: inout [String], depth: Int) {
    switch value {
    case nil, .null?: break
    case .flag(let flag)?: words.append(flag ? "true" : "false")
    case .text(let text)?:
      words += text.split { ",;|".contains($0) }.prefix(32).map { PhoneValue.trimmed($0) }
    case .number?: words.append(value?.word ?? "unreadable")
    case .list(let elements)?:
      guard depth < 2 else { return words.append("unreadable") }
      for element in elements.prefix(32) { collect(element, into: &words, depth: depth + 1) }
    case .object?, .unreadable?: words.append("unreadable")
    }
  }

  private static func key(_ word: String) -> String {
    String(word.lowercased().filter { !$0.isWhitespace && $0 != "_" && $0 != "-" })
  }

  private static func shown(_ word: String) -> String {
    var shown = word
    while shown.utf8.count > longestBytes { shown.removeLast() }
    return TextRule.line.accepts(shown) ? shown : "unreadable"
  }
}
