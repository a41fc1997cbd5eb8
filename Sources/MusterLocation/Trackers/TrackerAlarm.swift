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
  private static let deepest = 8

  /// Reads the fields of this name of one message; nil for no alarm. Of several words the first
  /// that calls for help counts.
  init?(_ values: [PhoneValue]) {
    var words: [String] = []
    for value in values { Self.collect(value, into: &words, depth: 0) }
    let alarms = words.filter { !Self.none.contains(Self.key($0)) }
    guard let word = alarms.first(where: { Self.calls.contains(Self.key($0)) }) ?? alarms.first
    else { return nil }
    isCall = Self.calls.contains(Self.key(word))
    self.word = Self.shown(word)
  }

  private static func collect(_ value: PhoneValue, into words: inout [String], depth: Int) {
    guard depth < deepest else { return words.append("unreadable") }
    switch value {
    case .null: break
    case .flag(let flag): words.append(flag ? "true" : "false")
    case .text(let text):
      for part in text.split(whereSeparator: { ",;|".contains($0) }) {
        // A list may have blanks only; the words of one alarm may too.
        let parts = part.split(whereSeparator: \.isWhitespace).map(String.init)
        let isList = parts.count > 1 && parts.contains { calls.contains(key($0)) }
        words += isList ? parts : [PhoneValue.trimmed(part)]
      }
    case .number: words.append(value.word ?? "unreadable")
    case .list(let elements):
      for element in elements { collect(element, into: &words, depth: depth + 1) }
    case .object(let members):
      // `{"sos": true}` or `{"type": "sos"}`
      let before = words.count
      var isDenied = false
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        switch member {
        case .flag(true): words.append(name)
        case .flag(false): isDenied = true
        case .text, .list, .object: collect(member, into: &words, depth: depth + 1)
        case .number, .null, .unreadable: break
        }
      }
      if words.count == before, !isDenied { words.append("unreadable") }
    case .unreadable: words.append("unreadable")
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
