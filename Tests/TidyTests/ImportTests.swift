import Foundation
import Testing

/// The layering of `docs/architecture.md`. The build's own check accepts transitive imports, so
/// the imports of each file are compared here with the table of that page.
@Suite struct ImportTests {
  @Test func `every file imports only what its layer may`() throws {
    let tree = try SourceTree(below: ["Sources", "Benchmarks"])
    let table = try LayerTable(readFrom: tree.root)
    for file in tree.files where !file.isGenerated {
      guard let allowed = table.imports[file.target] else { continue }
      for (module, line) in imports(of: file) where !allowed.contains(module) {
        Issue.record("\(file.path):\(line) imports \(module), which \(file.target) may not")
      }
    }
  }

  @Test func `every target is in the table`() throws {
    let tree = try SourceTree(below: ["Sources"])
    let table = try LayerTable(readFrom: tree.root)
    let targets = Set(tree.files.map(\.target))
    #expect(targets.subtracting(table.imports.keys) == [])
  }

  @Test func `a row is read in its groups`() {
    let table = LayerTable(
      text: """
        | target | its job in a line | may import |
        |---|---|---|
        | `MusterA` | letters | – |
        | `MusterB` | more of them | A; –; C library |
        | `b`, in `Folder` | a program | A, B; Yams, NIO; Foundation |
        """)
    #expect(
      table.imports == [
        "MusterA": [], "MusterB": ["MusterA", "Glibc", "Musl", "Darwin"],
        "b": ["MusterA", "MusterB", "Yams", "NIO", "Foundation"],
      ])
  }

  /// Literals of several lines are skipped: they may be programs in another language.
  private func imports(of file: SourceTree.File) -> [(module: String, line: Int)] {
    var isInLiteral = false
    return file.lines.enumerated().compactMap { index, line in
      if line.matches(of: /"""/).count == 1 { isInLiteral.toggle() }
      let words = line.split(separator: " ")
      guard !isInLiteral, let place = words.firstIndex(of: "import"), words.count > place + 1,
        words[..<place].allSatisfy({
          ["public", "internal", "private", "@testable", "@preconcurrency"].contains($0)
        })
      else { return nil }
      return (String(words[place + 1]), index + 1)
    }
  }
}

/// The table of targets of `docs/architecture.md`: the modules that each may import.
private struct LayerTable {
  /// By target.
  let imports: [String: Set<String>]

  private static let cLibrary: Set = ["Glibc", "Musl", "Darwin"]

  init(readFrom root: URL) throws {
    let page = root.appending(path: "docs/architecture.md")
    self.init(text: try String(contentsOf: page, encoding: .utf8))
  }

  init(text: String) {
    var imports: [String: Set<String>] = [:]
    var isInTable = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("| target |") { isInTable = true }
      if line.isEmpty { isInTable = false }
      guard isInTable, let row = line.wholeMatch(of: /\| `([\w-]+)`.* \| (.+) \|/) else { continue }
      imports[String(row.1)] = Self.modules(in: row.2)
    }
    self.imports = imports
  }

  /// Parses the groups of a row: our modules without their prefix, those of other packages, and
  /// those of the system.
  private static func modules(in groups: Substring) -> Set<String> {
    var modules: Set<String> = []
    for (index, group) in groups.split(separator: "; ").enumerated() where group != "–" {
      for name in group.split(separator: ", ") {
        if name == "C library" {
          modules.formUnion(cLibrary)
        } else {
          modules.insert(index == 0 ? "Muster\(name)" : String(name))
        }
      }
    }
    return modules
  }
}
