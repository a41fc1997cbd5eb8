import Foundation
import MusterInterchange
import MusterModel
import Testing

@testable import MusterHTTP

@Suite struct `The dashboard's files` {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/MusterHTTP/Resources/dashboard")

  private static let languages = ["de", "en", "es", "fr", "pt"]

  /// Modules that a page loads when they are needed first: few readers print, import, replay,
  /// invite, manage the team, look at a photo or at the network, or have a vector map; the map
  /// of the world comes after the data. The strip of a phone's owner is for logins of a person.
  private static let loadedLater = [
    "js/annotate.js", "js/answers.js", "js/call.js", "js/checkinforms.js", "js/contactlist.js",
    "js/dictation.js", "js/expected.js", "js/feed.js", "js/forms.js", "js/gallery.js",
    "js/guide.js", "js/import.js", "js/invites.js", "js/keys.js", "js/loginform.js", "js/logins.js",
    "js/map/draw.js", "js/map/edit.js", "js/map/measure.js", "js/map/overlay.js", "js/map/track.js",
    "js/map/transfer.js", "js/map/vector.js", "js/map/way.js", "js/map/world.js", "js/mesh.js",
    "js/orderform.js", "js/owner.js", "js/paper.js", "js/personforms.js", "js/phone.js",
    "js/proximity.js", "js/qr.js", "js/reach.js", "js/replay.js", "js/situation.js", "js/team.js",
    "js/unverified.js", "js/zoneform.js",
  ]

  @Test func `every file has its type, a policy without exceptions, and a tag`() async throws {
    try await WebStage.run { web in
      for (path, type) in [
        ("/", "text/html; charset=utf-8"), ("/dashboard/index.html", "text/html; charset=utf-8"),
        ("/dashboard/css/base.css", "text/css; charset=utf-8"),
        ("/dashboard/js/main.js", "text/javascript; charset=utf-8"),
        ("/dashboard/icon.svg", "image/svg+xml"),
        ("/dashboard/manifest.webmanifest", "application/manifest+json"),
      ] {
        let answer = try await web.client.ask("GET", path)
        #expect(answer.status == 200, "\(path)")
        #expect(answer.headers["content-type"] == type)
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'self';"))
        #expect(policy.contains("worker-src 'self' blob:;"))
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

  @Test func `the service worker keeps the page's files by their version, and no others`()
    async throws
  {
    try await WebStage.run { web in
      let worker = try await web.client.ask("GET", "/dashboard/sw.js")
      #expect(worker.status == 200 && worker.headers["service-worker-allowed"] == "/")
      // A changed file changes the version, and with it the worker.
      let version = try #require(worker.headers["etag"])
      #expect(worker.body.hasPrefix("const version = \(version);\n"))
      let list = try #require(worker.body.firstMatch(of: /const files = (\[.+\]);/)?.1)
      let files = JSON.read(of: String(list)).elements?.compactMap(\.word) ?? []
      #expect(files.count > 50 && files.contains("/") && files.contains("/dashboard/js/queue.js"))
      for file in files {
        #expect(try await web.status("GET", file) == 200, "\(file)")
        #expect(!file.contains(/token|join|sw\.js/), "\(file)")
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
      let data = try Data(contentsOf: Self.root.appending(path: name))
      let text = String(decoding: data, as: UTF8.self)
      // A page loads one language; the browser loads the service worker later. Pages about the
      // token and the certificate are sent instead.
      if let language = name.firstMatch(of: /^js\/i18n\/([a-z]+)(?:-node)?\.js$/)?.1 {
        texts[String(language), default: 0] += data.count
      } else if !name.contains(
        /(token|join|sw)\.|-(answers|calls|errors|forms|guide|logins?|mesh|phone|shapes)\.js/),
        !Self.loadedLater.contains(name)
      {
        // Comments are not code.
        code += text.replacing(/(?m)^ *(\/\/.*|\/\*(?s:.*?)\*\/) *\n/, with: "").utf8.count
      }
    }
    // 250 KiB is the limit of the page: two seconds on a link of 1 Mbit/s.
    #expect((50_000...250 * 1024).contains(code), "\(code) bytes")
    // French, the longest, with the texts of the node, one for each alert.
    for (language, bytes) in texts {
      #expect((10_000...38_000).contains(bytes), "\(language): \(bytes) bytes")
    }
    #expect(texts.keys.sorted() == Self.languages)
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
    // A language other than English is loaded by pages in that language only, `join.js` by
    // `join.html`, and the service worker by the browser.
    let apart = Self.loadedLater + ["js/join.js", "sw.js"]
    let modules = names.compactMap { $0 as? String }.filter {
      $0.hasSuffix(".js") && !apart.contains($0)
        && (!$0.hasPrefix("js/i18n/") || ["js/i18n/en.js", "js/i18n/en-node.js"].contains($0))
    }
    #expect(named.sorted() == modules.sorted())
  }

  /// The names in `{name}`, and of lists in `{name: or }`.
  private static func placeholders(in text: some StringProtocol) -> [String] {
    String(text).matches(of: /\{(\w+)(?::[^}]*)?\}/).map { String($0.1) }
  }

  /// The texts of a language by key, with those of parts that are loaded later.
  private static func texts(in language: String) throws -> [String: String] {
    let line = /(?m)^  (?:"([^"]+)"|(\w+)):\s+"((?:[^"\\]|\\.)*)",$/
    var texts: [String: String] = [:]
    for part in [
      "", "-answers", "-calls", "-forms", "-guide", "-login", "-logins", "-mesh", "-node",
      "-phone", "-shapes",
    ] {
      let file = try String(
        contentsOf: root.appending(path: "js/i18n/\(language)\(part).js"), encoding: .utf8)
      for match in file.matches(of: line) {
        let key = String(match.1 ?? match.2 ?? "")
        #expect(texts[key] == nil, "\(language): \(key) occurs twice")
        texts[key] = String(match.3)
      }
    }
    return texts
  }

  /// Texts in which no word depends on the number, or whose number is never 1, in any language.
  private static let invariable: Set<String> = [
    "more", "accounted", "would", "inside", "inside.n", "severity.n", "place.far", "import.many",
    "import.refused", "uplink.serves", "rule.atLeast", "rule.atMost",
    "rule.within", "photo.of", "photo.position", "chatters", "chosen.n", "queue.n", "position.sent",
    "corner", "import.left",
    "exposed.near", "network.of", "mayday.more", "people.off", "choose.all", "far.out",
  ]

  @Test func `a text with a number has a form for one and a form for others, where they differ`()
    throws
  {
    var forms = 0
    for language in Self.languages {
      for (key, text) in try Self.texts(in: language) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        #expect(parts.count <= 2, "\(language): \(key)")
        if parts.count == 2 {
          func placeholders(_ text: Substring) -> [String] {
            Self.placeholders(in: text).sorted()
          }
          #expect(parts[0] != parts[1], "\(language): \(key)")
          #expect(placeholders(parts[0]) == placeholders(parts[1]), "\(language): \(key)")
          forms += 1
        } else if text.contains(/\{(?:n|of)\} (?!s\b|min\b|h\b|d\b|j\b|m\b|%)\p{L}/) {
          #expect(Self.invariable.contains(key), "\(language): \(key): \(text)")
        }
      }
    }
    #expect(forms > 40)
  }

  @Test func `every language has the same keys, with the same placeholders`() throws {
    func words(_ language: String) throws -> [String: Set<String>] {
      try Self.texts(in: language).mapValues { Set(Self.placeholders(in: $0)) }
    }
    let english = try words("en")
    #expect(english.count > 150)
    for language in Self.languages {
      let other = try words(language)
      let missing = Set(english.keys).symmetricDifference(other.keys)
      #expect(missing.isEmpty, "\(language): \(missing.sorted()) in one of the two")
      for (key, placeholders) in other {
        #expect(placeholders == english[key], "\(language): \(key)")
      }
    }
  }

  @Test func `each text that a module names is in the languages`() throws {
    let keys = Set(try Self.texts(in: "en").keys)
    let names = try #require(FileManager.default.enumerator(atPath: Self.root.path))
    var named: Set<String> = []
    for case let name as String in names where name.hasSuffix(".js") {
      let code = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
      for match in code.matches(of: /\bt\("([\w.]+)"/) {
        #expect(keys.contains(String(match.1)), "\(name): \(match.1)")
        named.insert(String(match.1))
      }
    }
    #expect(named.count > 200)
  }

  @Test func `the page's catalogue of the node's texts is that of the node`() throws {
    let file = Self.root.appending(path: "js/i18n/en-node.js")
    let lines = PhraseKey.allCases.map { key in
      let name = key.rawValue.contains(".") ? "\"\(key.rawValue)\"" : key.rawValue
      return "  \(name): \"\(PhraseKey.english[key] ?? "")\",\n"
    }
    let text = """
      // English: the texts of alerts, reasons and orders, written from those of the node.

      export default {
      \(lines.joined())};

      """
    if ProcessInfo.processInfo.environment["MUSTER_WRITE_TABLES"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == text,
      """
      en-node.js differs from the node. Translate what changed, and write it again by:
      MUSTER_WRITE_TABLES=1 swift test --filter 'the page.s catalogue'
      """)
  }

  @Test func `every language translates the same errors of the node`() throws {
    func patterns(_ language: String) throws -> [String] {
      let text = try String(
        contentsOf: Self.root.appending(path: "js/i18n/\(language)-errors.js"), encoding: .utf8)
      return text.matches(of: /(?m)^  \[(\/.+?\/), ".*?"\],$/).map { String($0.1) }
    }
    let portuguese = try patterns("pt")
    #expect(portuguese.count == 15)
    for language in Self.languages where language != "en" {
      #expect(try patterns(language) == portuguese, "\(language)")
    }
  }

  @Test func `the pages before a login have a text for each placeholder, in each language`()
    async throws
  {
    try await WebStage.run { web in
      for name in ["token", "join"] {
        var pages: Set<String> = []
        for language in Self.languages {
          let file = language == "en" ? "\(name).html" : "\(name).\(language).html"
          let page = try await web.client.ask("GET", "/dashboard/" + file)
          #expect(page.headers["content-type"] == "text/html; charset=utf-8", "\(file)")
          #expect(page.body.contains("<html lang=\"\(language)\">"), "\(file)")
          #expect(!page.body.contains("{{") && page.body.contains("<h1>"), "\(file)")
          pages.insert(page.body)
        }
        #expect(pages.count == Self.languages.count)
        #expect(try await web.status("GET", "/dashboard/texts/\(name).json") == 404)
      }
      let token = try await web.client.ask("GET", "/dashboard/token.de.html")
      #expect(token.body.contains("name=\"token\"") && token.body.contains("Diese Seite"))
    }
  }
}
