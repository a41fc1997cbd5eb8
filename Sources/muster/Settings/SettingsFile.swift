internal import Foundation
internal import MusterModel

/// `muster.toml` in the home: persistent settings of the node.
///
/// A subset of TOML 1.0: one `key = value` a line, comments after `#`. A value is a string (basic
/// or literal), `true` or `false`, or an array of strings on one line. Anything else is an error
/// with its line number: a setting that is silently ignored is worse than none.
struct SettingsFile: Redacted {
  enum Value: Hashable, Redacted {
    case text(String)
    case flag(Bool)
    case texts([String])
  }

  struct Entry: Hashable {
    let value: Value
    /// From 1.
    let line: Int
  }

  /// For messages.
  let path: String
  private(set) var entries: [String: Entry] = [:]

  static let limitBytes = 64 * 1024

  /// A missing file has no settings.
  init(path: String) throws(Refusal) {
    guard FileManager.default.fileExists(atPath: path) else {
      try self.init(path: path, text: "")
      return
    }
    try self.init(path: path, text: try InputFile.text(of: path, limit: Self.limitBytes))
  }

  init(path: String, text: String) throws(Refusal) {
    self.path = path
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      var reader = SettingsLine(line)
      do {
        guard let (key, value) = try reader.entry() else { continue }
        guard Setting(rawValue: key) != nil else {
          let known = Setting.allCases.map(\.rawValue)
          let advice =
            Suggestion.nearest(to: key, in: known).map { "did you mean '\($0)'?" }
            ?? "use one of " + known.joined(separator: ", ")
          throw BadArgument("there is no setting '\(SafeText.line(key))': \(advice)")
        }
        guard entries[key] == nil else { throw BadArgument("'\(key)' is set twice") }
        entries[key] = Entry(value: value, line: index + 1)
      } catch {
        throw Refusal("\(path):\(index + 1): \(error)")
      }
    }
  }
}

/// Reads one line of a settings file.
struct SettingsLine {
  private var rest: Substring

  init(_ line: Substring) { rest = line }

  /// Nil for an empty line or a comment.
  mutating func entry() throws(BadArgument) -> (key: String, value: SettingsFile.Value)? {
    skipBlanks()
    if isAtEnd { return nil }
    let key = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    guard !key.isEmpty else {
      throw BadArgument("write a setting as: key = value, not \(seen(rest))")
    }
    rest = rest.dropFirst(key.count)
    skipBlanks()
    guard rest.first == "=" else {
      throw BadArgument("'=' is missing after '\(key)'\(before(rest, of: key))")
    }
    rest.removeFirst()
    skipBlanks()
    let value = try value(of: String(key))
    skipBlanks()
    guard isAtEnd else {
      throw BadArgument("there is text after the value of '\(key)'\(before(rest, of: key))")
    }
    return (String(key), value)
  }

  private var isAtEnd: Bool { rest.isEmpty || rest.first == "#" }

  private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  private mutating func value(of key: String) throws(BadArgument) -> SettingsFile.Value {
    switch rest.first {
    case "\"", "'": return .text(try string())
    case "[": return .texts(try strings())
    default:
      for (word, flag) in [("true", true), ("false", false)] where rest.hasPrefix(word) {
        rest = rest.dropFirst(word.count)
        return .flag(flag)
      }
      throw BadArgument(
        "the value of '\(key)' must be \"text\", true or false, or [\"text\", \"text\"]"
          + (Setting(rawValue: key)?.isSecret == false ? ", not \(seen(rest))" : ""))
    }
  }

  /// The beginning of what is written, for messages.
  private func seen(_ text: Substring) -> String {
    guard let first = text.first else { return "an empty line" }
    let shown = text.prefix(30)
    let code = first.isASCII ? "" : " (it begins with \(Self.code(first)))"
    return "'\(SafeText.line(String(shown)))\(shown.count < text.count ? "…" : "")'\(code)"
  }

  private static func code(_ character: Character) -> String {
    character.unicodeScalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }
      .joined(separator: " ")
  }

  /// What is written after a key, unless it may be secret.
  private func before(_ text: Substring, of key: Substring) -> String {
    guard !text.isEmpty, Setting(rawValue: String(key))?.isSecret == false else { return "" }
    return ", before \(seen(text))"
  }

  private mutating func strings() throws(BadArgument) -> [String] {
    rest.removeFirst()
    var texts: [String] = []
    while true {
      skipBlanks()
      if rest.first == "]" { break }
      texts.append(try string())
      skipBlanks()
      guard rest.first == "," else { break }
      rest.removeFirst()
    }
    guard rest.first == "]" else { throw BadArgument("']' is missing on this line") }
    rest.removeFirst()
    return texts
  }

  private mutating func string() throws(BadArgument) -> String {
    guard let quote = rest.first, quote == "\"" || quote == "'" else {
      throw BadArgument("text must be in quotes")
    }
    rest.removeFirst()
    var text = ""
    while let next = rest.popFirst() {
      if next == quote { return text }
      guard next == "\\", quote == "\"" else {
        text.append(next)
        continue
      }
      switch rest.popFirst() {
      case "\"": text.append("\"")
      case "\\": text.append("\\")
      case "t": text.append("\t")
      default: throw BadArgument("only \\\", \\\\ and \\t may follow a backslash here")
      }
    }
    throw BadArgument("the quote is not closed")
  }
}
