import Testing

/// State has an owner: no type with logic has more than 12 stored properties, or 700 lines in all
/// of its files together. A limit is a sign to look for the missing type.
///
/// Types without functions are values, such as a status or a report: they have as many properties
/// as the thing has.
@Suite struct TypeSizeTests {
  private static let mostProperties = 12
  private static let mostLines = 700

  /// Types that are larger today, with their size, which must not grow. Lower a number, or remove a
  /// row, with each part that gets an owner.
  private static let larger: [String: (properties: Int, lines: Int)] = [
    "MusterHTTP.API": (12, 1032),
    "MusterModel.DirectiveSummary": (15, 700),
    "MusterModel.UserSummary": (16, 700),
    "MusterReplica.AlertRules": (15, 700),
    "MusterReplica.EpochLedger": (16, 700),
    "MusterReplica.Replica": (41, 5068),
    "MusterSync.Packet": (21, 700),
    "MusterSync.Session": (16, 700),
    "MusterSync.SessionHandshake": (15, 700),
    "MusterSync.LogIndex": (16, 700),
    "MusterSync.SyncEngine": (12, 1126),
  ]

  @Test func `no type with logic is larger than its limit`() throws {
    let sizes = try Self.sizes()
    #expect(sizes.count > 500)
    for (name, size) in sizes.sorted(by: { $0.key < $1.key }) where size.hasLogic {
      let limit = Self.larger[name] ?? (Self.mostProperties, Self.mostLines)
      if size.properties > limit.properties {
        Issue.record("\(name) has \(size.properties) stored properties of \(limit.properties)")
      }
      if size.lines > limit.lines {
        Issue.record("\(name) has \(size.lines) lines of \(limit.lines) in all its files")
      }
    }
  }

  @Test func `every type that may be larger still is`() throws {
    let sizes = try Self.sizes()
    for name in Self.larger.keys.sorted() {
      let size = sizes[name] ?? Size()
      if size.properties <= Self.mostProperties, size.lines <= Self.mostLines {
        Issue.record("\(name) is within the limits: remove it from the list")
      }
    }
  }

  @Test func `a stored property is counted, and a computed or static one is not`() {
    let text = """
      struct Cup {
        static let most = 3
        private(set) var sips = 0
        let owner: String
        var isEmpty: Bool { sips == 0 }
        @Guarded var lid: Lid? = nil
        var label: String {
          owner
        }
        struct Lid {
          let width: Int
        }
        mutating func sip() {
          let depth = 1
          sips += depth
        }
      }
      """
    var sizes: [String: Size] = [:]
    Self.measure(text.split(separator: "\n"), of: "T", into: &sizes)
    #expect(sizes["T.Cup"]?.properties == 3)
    #expect(sizes["T.Cup"]?.hasLogic == true)
    #expect(sizes["T.Cup.Lid"]?.properties == 1)
    #expect(sizes["T.Cup.Lid"]?.hasLogic == false)
  }

  // MARK: Measuring

  private struct Size {
    var properties = 0
    var lines = 0
    var hasLogic = false
  }

  private static func sizes() throws -> [String: Size] {
    var sizes: [String: Size] = [:]
    for file in try SourceTree(below: ["Sources"]).files where !file.isGenerated {
      measure(file.lines, of: file.target, into: &sizes)
    }
    return sizes
  }

  /// Measures the types and extensions of a file. Relies on the indentation of the formatter.
  private static func measure(
    _ lines: [Substring], of target: String, into sizes: inout [String: Size]
  ) {
    var open: [(indent: Int, name: String)] = []
    for line in lines {
      let indent = line.prefix { $0 == " " }.count
      let words = line.split { " :<(".contains($0) }
      guard let first = words.first, !first.hasPrefix("//"), !first.hasPrefix("#") else { continue }
      if first == "}", open.last?.indent == indent { open.removeLast() }
      if let name = typeName(in: words), line.hasSuffix("{") {
        open.append((indent, (open.last?.name ?? target) + "." + name))
      }
      guard let type = open.last else { continue }
      sizes[type.name, default: Size()].lines += 1
      guard indent == type.indent + 2 else { continue }
      if words.contains("func") { sizes[type.name, default: Size()].hasLogic = true }
      if isStoredProperty(line, words) { sizes[type.name, default: Size()].properties += 1 }
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
}
