import Foundation
import Testing

@testable import MusterHTTP

@Suite struct `The dashboard's files` {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/MusterHTTP/Resources/dashboard")

  @Test func `every file has its type, a policy without exceptions, and a tag`() async throws {
    try await WebStage.run { web in
      for (path, type) in [
        ("/", "text/html; charset=utf-8"), ("/dashboard/index.html", "text/html; charset=utf-8"),
        ("/dashboard/css/base.css", "text/css; charset=utf-8"),
        ("/dashboard/js/main.js", "text/javascript; charset=utf-8"),
        ("/dashboard/icon.svg", "image/svg+xml"),
      ] {
        let answer = try await web.client.ask("GET", path)
        #expect(answer.status == 200, "\(path)")
        #expect(answer.headers["content-type"] == type)
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'self';"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        let tag = try #require(answer.headers["etag"])
        let again = try await web.client.ask("GET", path, headers: ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
        let other = try await web.client.ask("GET", path, headers: ["If-None-Match": "\"0\""])
        #expect(other.status == 200)
      }
    }
  }

  @Test func `no path leads outside the page's own files`() async throws {
    try await WebStage.run { web in
      for path in [
        "/dashboard/", "/dashboard/..", "/dashboard/../index.html", "/dashboard/js/../icon.svg",
        "/dashboard/../../../../../../etc/passwd", "/dashboard/%2e%2e/%2e%2e/etc/passwd",
        "/dashboard/..%2f..%2fetc/passwd", "/dashboard//etc/passwd", "/dashboard/js/%00main.js",
        "/dashboard/leaflet/../index.html", "/dashboard/\\..\\index.html", "/dashboard/js",
        "/dashboard/nothing.js",
      ] {
        let answer = try await web.client.ask("GET", path)
        #expect((400..<500).contains(answer.status), "\(path): \(answer.status)")
        #expect(!answer.body.contains("root:") && !answer.body.contains("<svg"))
      }
      #expect(try await web.status("POST", "/dashboard/icon.svg") == 405)
      #expect(try await web.status("DELETE", "/dashboard/js/main.js") == 405)
    }
  }

  @Test func `the page's code and each of its languages stay below their size limits`() throws {
    let names = try #require(FileManager.default.enumerator(atPath: Self.root.path))
    var code = 0
    var texts: [String: Int] = [:]
    for case let name as String in names {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: Self.root.appending(path: name).path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      var bytes = attributes[.size] as? Int ?? 0
      if [".js", ".css"].contains(where: name.hasSuffix) {
        let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        bytes = withoutComments(text).utf8.count
      }
      // A page loads one language, and a page about the token is sent instead of this one.
      if let language = name.firstMatch(of: /^js\/i18n\/([a-z]+)/)?.1 {
        texts[String(language), default: 0] += bytes
      } else if !name.contains("token.") {
        code += bytes
      }
    }
    // 250 KiB of code load in two seconds at 1 Mbit/s. Comments are sent too, but not counted.
    #expect((50_000...250 * 1024).contains(code), "\(code) bytes")
    for (language, bytes) in texts {
      #expect((10_000...28_000).contains(bytes), "\(language): \(bytes) bytes")
    }
    #expect(texts.count == 2)
  }

  @Test func `only comments that begin a line are not counted`() {
    let text = """
      // A comment
      let a = "// a text"; // kept
        /* A block
           of three lines
         */
      /** One line. */
      const pattern = /[/*]/;
      /* A short one */ let b = 1;
      """
    #expect(
      withoutComments(text) == """
        let a = "// a text"; // kept
        const pattern = /[/*]/;
         let b = 1;
        """)
    #expect(withoutComments("let c = `\n// in a template\n`;") == "let c = `\n// in a template\n`;")
  }

  /// Returns a script or style sheet without comments that begin a line.
  ///
  /// Other comments count as code, so that no string or regular expression is cut. A line that
  /// begins in a template literal, after an odd number of backticks, is kept.
  private func withoutComments(_ text: String) -> String {
    var kept: [Substring] = []
    var inBlock = false
    var inTemplate = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var rest = line
      if !inBlock && !inTemplate {
        let code = line.drop(while: \.isWhitespace)
        if code.hasPrefix("//") { continue }
        inBlock = code.hasPrefix("/*")
        if inBlock { rest = code.dropFirst(2) }
      }
      if inBlock {
        guard let end = rest.firstRange(of: "*/") else { continue }
        inBlock = false
        rest = rest[end.upperBound...]
        if rest.allSatisfy(\.isWhitespace) { continue }
      }
      if !rest.filter({ $0 == "`" }).count.isMultiple(of: 2) { inTemplate.toggle() }
      kept.append(rest)
    }
    return kept.joined(separator: "\n")
  }

  @Test func `the page preloads each of its modules, so that none waits for another`() throws {
    func file(_ name: String) throws -> String {
      try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
    }
    let scripts = try file("index.html").matches(of: /"\/dashboard\/(js\/[^"]+)"/)
      .map { String($0.1) }
    let list = try #require(file("js/preload.js").firstMatch(of: /`([^`]+)`/)?.1)
    let named = scripts + list.split(whereSeparator: \.isWhitespace).map { "js/\($0).js" }
    let names = try #require(FileManager.default.enumerator(atPath: Self.root.path))
    // A language other than English is loaded by pages in that language only.
    let modules = names.compactMap { $0 as? String }
      .filter { $0.hasSuffix(".js") && !$0.hasPrefix("js/i18n/pt") }
    #expect(named.sorted() == modules.sorted())
  }

  @Test func `every language has the same keys, with the same placeholders`() throws {
    func words(_ language: String) throws -> [String: Set<String>] {
      let text = try String(
        contentsOf: Self.root.appending(path: "js/i18n/\(language).js"), encoding: .utf8)
      let line = /(?m)^  (?:"([^"]+)"|(\w+)):\s+"((?:[^"\\]|\\.)*)",$/
      var words: [String: Set<String>] = [:]
      for match in text.matches(of: line) {
        let key = String(match.1 ?? match.2 ?? "")
        #expect(words[key] == nil, "\(language): \(key) occurs twice")
        words[key] = Set(String(match.3).matches(of: /{\w+}/).map { String($0.0) })
      }
      return words
    }
    let (english, portuguese) = (try words("en"), try words("pt"))
    #expect(english.count > 150)
    #expect(english == portuguese)
  }
}
