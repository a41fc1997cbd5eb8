/// The sizes of the types and functions of source files. Relies on the indentation of the
/// formatter.
struct Measurements {
  /// A type, summed over its declaration and its extensions.
  struct TypeSize {
    /// Stored properties.
    var properties = 0
    /// Of these, the variables that any other file may assign.
    var exposed = 0
    /// Without blank lines and comments.
    var lines = 0
    /// Whether it has functions.
    var hasLogic = false
  }

  /// A function or an initializer.
  struct Function: Hashable {
    let file: String
    let name: String
    /// From its declaration to its closing brace.
    let lines: Int
  }

  /// By target and name.
  private(set) var types: [String: TypeSize] = [:]
  private(set) var functions: [Function] = []

  init() {}

  /// Returns the sizes of the sources of all targets, which are measured once for all tests.
  static func ofSources() throws -> Measurements { try sources.get() }

  private static let sources: Result<Measurements, any Error> = Result {
    var measurements = Measurements()
    for file in try SourceTree(below: ["Sources"]).files where !file.isGenerated {
      measurements.add(file.lines, of: file.target, file: file.path)
    }
    return measurements
  }

  mutating func add(_ lines: [Substring], of target: String, file: String) {
    addTypes(lines, of: target)
    addFunctions(lines, file: file)
  }

  // MARK: Types

  private mutating func addTypes(_ lines: [Substring], of target: String) {
    var open: [(indent: Int, name: String)] = []
    for line in lines {
      guard let (indent, words) = Self.code(in: line) else { continue }
      if words[0] == "}", open.last?.indent == indent { open.removeLast() }
      if let name = Self.typeName(in: words), line.hasSuffix("{") {
        open.append((indent, (open.last?.name ?? target) + "." + name))
      }
      guard let type = open.last else { continue }
      types[type.name, default: TypeSize()].lines += 1
      guard indent == type.indent + 2 else { continue }
      if words.contains("func") { types[type.name, default: TypeSize()].hasLogic = true }
      guard Self.isStoredProperty(line, words) else { continue }
      types[type.name, default: TypeSize()].properties += 1
      if Self.isExposed(words) { types[type.name, default: TypeSize()].exposed += 1 }
    }
  }

  private static func typeName(in words: [Substring]) -> String? {
    let keywords: Set<Substring> = ["struct", "class", "actor", "enum", "extension"]
    guard let place = words.prefix(5).firstIndex(where: keywords.contains),
      place + 1 < words.count
    else { return nil }
    return String(words[place + 1])
  }

  private static func isStoredProperty(_ line: Substring, _ words: [Substring]) -> Bool {
    guard let place = words.prefix(6).firstIndex(where: { $0 == "var" || $0 == "let" }),
      !words.prefix(place).contains(where: { ["static", "case", "if", "guard"].contains($0) })
    else { return false }
    guard let brace = line.firstIndex(of: "{") else { return true }
    return line[..<brace].contains("=")
  }

  private static func isExposed(_ words: [Substring]) -> Bool {
    let modifiers = words.prefix { $0 != "var" && $0 != "let" }
    return words[modifiers.count] == "var"
      && !modifiers.contains { $0.hasPrefix("private") || $0.hasPrefix("fileprivate") }
  }

  // MARK: Functions

  private mutating func addFunctions(_ lines: [Substring], file: String) {
    var open: [(indent: Int, name: String, first: Int)] = []
    for (number, line) in lines.enumerated() {
      guard let (indent, words) = Self.code(in: line) else { continue }
      if words[0] == "}" {
        // A requirement of a protocol has no body.
        while let last = open.last, last.indent > indent { open.removeLast() }
        if let last = open.last, last.indent == indent {
          open.removeLast()
          functions.append(Function(file: file, name: last.name, lines: number - last.first + 1))
        }
      }
      if let name = Self.functionName(in: words), !line.hasSuffix("}") {
        open.append((indent, name, number))
      }
    }
  }

  private static func functionName(in words: [Substring]) -> String? {
    let keywords: Set<Substring> = ["func", "init", "init?"]
    guard let place = words.prefix(6).firstIndex(where: keywords.contains) else { return nil }
    return words[place] != "func" || place + 1 == words.count
      ? "init" : String(words[place + 1])
  }

  // MARK: Lines

  /// The indentation and the words of a line of code; nil for a blank line, a comment or a
  /// compilation condition.
  private static func code(in line: Substring) -> (indent: Int, words: [Substring])? {
    let words = line.split { " :<(".contains($0) }
    guard let first = words.first, !first.hasPrefix("//"), !first.hasPrefix("#") else { return nil }
    return (line.prefix { $0 == " " }.count, words)
  }
}
