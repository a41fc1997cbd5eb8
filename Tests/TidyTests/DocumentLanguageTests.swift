import Foundation
import Testing

/// Documents, scripts, scenarios and the dashboard use the standard terms of the field.
///
/// Code blocks, code spans, link targets and placeholders are not searched, and of the dashboard's
/// code only the comments and the texts of both languages.
@Suite struct DocumentLanguageTests {
  private static let clean = [
    "CONTRIBUTING.md", "Makefile", "README.md", "Scripts",
    "Sources/MusterHTTP/Resources/dashboard", "Tests/Abuse/README.md", "Tests/Peers",
    "Tests/README.md", "Tests/may-skip.txt", "docs", "simulations",
  ]

  /// Files that quote test names with such words.
  private static let exempt: Set = ["docs/threat-model.md"]

  private static let kinds: Set = ["", "c", "css", "js", "md", "py", "sh", "txt", "yaml", "yml"]

  @Test("documents, scripts, scenarios and the dashboard have no banned words", arguments: clean)
  func words(place: String) throws {
    let files = try files(at: place)
    #expect(!files.isEmpty)
    for file in files where !Self.exempt.contains(file.path) {
      for (index, line) in prose(of: file).enumerated() {
        for word in line.matches(of: /[A-Za-z_]+/).map({ $0.output.lowercased() })
        where LanguageTests.banned.contains(word) {
          Issue.record("\(file.path):\(index + 1) has the banned word \"\(word)\"")
        }
      }
    }
  }

  @Test("code is not searched, and texts are")
  func exemptions() {
    func prose(_ text: String, _ path: String) -> [String] {
      self.prose(of: SourceTree.File(path: path, text: text))
    }
    #expect(prose("A `said`\n```\nsaid\n```\n[b](said.md)", "a.md") == ["A  ", "", "", "", "[b "])
    #expect(prose("  say: \"Send {whom}\",", "js/i18n/en.js") == ["Send  "])
    #expect(prose("tell(heard) // Wait", "js/a.js") == ["Wait"])
    #expect(prose("/* Wait */", "a.css") == ["Wait */"])
    #expect(prose("tell # all", "a.sh") == ["tell # all"])
  }

  /// Returns the text of each line that people read, empty where there is none.
  private func prose(of file: SourceTree.File) -> [String] {
    var isCode = false
    return file.lines.map { line in
      switch URL(filePath: file.path).pathExtension {
      case "md":
        let isFence = line.hasPrefix("```")
        if isFence { isCode.toggle() }
        return isCode || isFence ? "" : String(line.replacing(/`[^`]*`|\]\([^)]*\)/, with: " "))
      case "js" where file.path.contains("/i18n/") && !line.hasPrefix("//"):
        let value = line.firstMatch(of: /^ +\S+: "(.*)",$/)?.1 ?? ""
        return String(value.replacing(/\{\w+\}/, with: " "))
      case "js", "css":
        let comment = line.firstMatch(of: /(?:^|\s)(?:\/\/|\/\*+|\*) (.*)$/)?.1 ?? ""
        return String(comment.replacing(/`[^`]*`/, with: " "))
      default:
        return String(line)
      }
    }
  }

  /// Returns the file at a path, or the files below a folder.
  private func files(at place: String) throws -> [SourceTree.File] {
    let root = try SourceTree(below: []).root
    let folder = FileManager.default.enumerator(atPath: root.appending(path: place).path)
    let below = folder?.allObjects as? [String] ?? []
    let paths = below.isEmpty ? [place] : below.sorted().map { "\(place)/\($0)" }
    return try paths.compactMap { path in
      let file = root.appending(path: path)
      guard Self.kinds.contains(file.pathExtension),
        try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      else { return nil }
      return SourceTree.File(path: path, text: try String(contentsOf: file, encoding: .utf8))
    }
  }
}
