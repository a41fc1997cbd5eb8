import Foundation
import MusterTestKit
import Testing

/// The program as installed by `make install`, in a folder that replaces `/`: outside the checkout,
/// so that it cannot find files there. Separate from `ProcessTests`, whose tests are shorter.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct InstallTests {
  private static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let page = repository.appending(path: "Sources/MusterHTTP/Resources/dashboard")
  private static let leaflet = URL(filePath: "/usr/share/javascript/leaflet")

  @Test(.enabled(if: Installed.hasFile(leaflet), "needs libjs-leaflet"))
  func `the installed program serves the page and all files of the map`() async throws {
    try await Self.withInstalled { program in
      try await Field.run(of: program) { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        var port: UInt16 = 0
        try await eventually("the node serves programs") {
          let line = try node.child.complaints.firstMatch(of: /phones on http:.*:(\d+)/)
          port = line.flatMap { UInt16($0.1) } ?? 0
          return port != 0
        }
        // The files that the page names, and every file of a checkout besides the texts of pages
        let index = try HTTPExchange.request(port, "/")
        #expect(index.status == 200, "\(index.body)")
        let named = index.body.matches(of: /(?:src|href)="?(\/dashboard\/[^" >]+)/)
          .map { String($0.1) }
        #expect(named.contains("/dashboard/leaflet/leaflet.min.js"))
        #expect(named.contains("/dashboard/js/preload.js"))
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.page.path)
          .filter { !$0.hasPrefix(".") && !$0.hasPrefix("texts/") && $0.contains(".") }
        #expect(!names.isEmpty)
        for path in Set(named + names.map { "/dashboard/" + $0 }).sorted() {
          #expect(try HTTPExchange.request(port, path).status == 200, "\(path)")
        }
        #expect(try HTTPExchange.request(port, "/dashboard/world/0/0/0").status == 200)
        try await node.stop()
      }
    }
  }

  @Test func `the service has its user and both of its folders`() async throws {
    try await Self.withInstalled { program in
      let prefix = program.deletingLastPathComponent().deletingLastPathComponent()
      func text(_ path: String) throws -> String {
        try String(contentsOf: prefix.appending(path: path), encoding: .utf8)
      }
      #expect(try text("lib/sysusers.d/muster.conf").contains("u muster - "))
      let folders = try text("lib/tmpfiles.d/muster.conf")
      let unit = try text("lib/systemd/system/muster.service")
      for folder in ["/var/lib/muster", "/var/lib/muster-state"] {
        #expect(folders.contains("d \(folder) 0700 muster muster"))
        #expect(unit.contains("=\(folder)\n"))
      }
    }
  }

  @Test func `make deb, stick and install build nothing if they are given programs`() async throws {
    let scratch = try TemporaryFolder()
    for target in ["deb", "stick", "install"] {
      let ended = try await Child(
        URL(filePath: "/usr/bin/make"),
        ["-n", "-C", Self.repository.path, target, "PROGRAMS=/media/usb/programs"],
        environment: ProcessInfo.processInfo.environment, in: scratch.url, name: "make"
      ).end(within: .seconds(30))
      #expect(ended.status == 0 && ended.output.contains("/media/usb/programs\"/$program"))
      #expect(!ended.output.contains("swift build"), "\(target): \(ended.output)")
    }
  }

  @Test func `make stick names a map that does not exist before it builds packages`() async throws {
    let scratch = try TemporaryFolder()
    let ended = try await Child(
      URL(filePath: "/usr/bin/make"),
      ["-C", Self.repository.path, "stick", "PROGRAMS=/nowhere", "REGION=/nowhere/valley.pmtiles"],
      environment: ProcessInfo.processInfo.environment, in: scratch.url, name: "make"
    ).end(within: .seconds(30))
    #expect(ended.status != 0 && ended.errors.contains("no map /nowhere/valley.pmtiles"))
    #expect(!ended.output.contains("strip"))
  }

  @Test func `make stick carries the map of a region, which is installed for all users`() throws {
    let scratch = try TemporaryFolder()
    func place(_ path: String) -> URL { scratch.url.appending(path: path) }
    for folder in ["tools", "packages"] {
      try FileManager.default.createDirectory(
        at: place(folder), withIntermediateDirectories: false)
    }
    // No package is downloaded or installed: these replace the programs of Debian.
    let tools = [
      "apt-get": """
      for word; do case $word in
        Dir::Cache::archives=*) : >"${word#*=}/library.deb" ;;
      esac; done
      """,
      "dpkg-deb": ":", "dpkg-scanpackages": ":", "id": "echo 0",
    ]
    for (name, script) in tools {
      #expect(
        FileManager.default.createFile(
          atPath: place("tools/\(name)").path, contents: Data("#!/bin/sh\n\(script)\n".utf8),
          attributes: [.posixPermissions: 0o755]))
    }
    let path = ["PATH": place("tools").path + ":/usr/bin:/bin"]
    try Data().write(to: place("packages/muster_1_amd64.deb"))
    try Data("a map".utf8).write(to: place("valley 1.pmtiles"))
    let folders = ["packages", "stick", "valley 1.pmtiles"].map { place($0).path }
    try Self.run("Scripts/stick.sh", folders, in: scratch.url, path)
    try Self.run("/bin/sh", [place("stick/install.sh").path], in: scratch.url, path)
    let map = place("usr/local/share/muster/maps/valley 1.pmtiles")
    #expect(try String(contentsOf: map, encoding: .utf8) == "a map")
  }

  @Test func `links of invites open the installed program in a terminal`() async throws {
    try await Self.withInstalled { program in
      let prefix = program.deletingLastPathComponent().deletingLastPathComponent()
      func text(_ path: String) throws -> String {
        try String(contentsOf: prefix.appending(path: path), encoding: .utf8)
      }
      let entry = try text("share/applications/muster-join.desktop")
      #expect(entry.contains("\nMimeType=x-scheme-handler/muster;\n"))
      #expect(entry.contains("\nExec=sh /usr/local/share/muster/join.sh %u\n"))
      let script = try text("share/muster/join.sh")
      #expect(script.contains("/usr/local/bin/muster join - --callsign"))
    }
  }

  @Test func `make uninstall removes every file that was installed`() async throws {
    try await Self.withInstalled { program in
      let prefix = program.deletingLastPathComponent().deletingLastPathComponent()
      let root = prefix.deletingLastPathComponent().deletingLastPathComponent()
      let other = prefix.appending(path: "bin/other")
      #expect(FileManager.default.createFile(atPath: other.path, contents: nil))
      try Self.run("Scripts/uninstall.sh", [], in: root)
      let left = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(
          atPath: root.appending(path: $0).path, isDirectory: &isFolder) && !isFolder.boolValue
      }
      #expect(left == ["usr/local/bin/other"])
    }
  }

  @Test func `the archive is installed beside the node, which does not need PostgreSQL`()
    async throws
  {
    try await Self.withInstalled { program in
      let prefix = program.deletingLastPathComponent().deletingLastPathComponent()
      func text(_ path: String) throws -> String {
        try String(contentsOf: prefix.appending(path: path), encoding: .utf8)
      }
      let manual = try text("share/man/man1/muster-archive.1")
      #expect(manual.contains("muster\\-archive token create") && !manual.contains("\\-\\-yes"))
      let unit = try text("lib/systemd/system/muster-archive.service")
      #expect(unit.contains("ExecStart=/usr/local/bin/muster-archive serve\n"))
      #expect(try !text("share/bash-completion/completions/muster-archive").isEmpty)
      func linksLibpq(_ program: URL) async throws -> Bool {
        let folder = try TemporaryFolder()
        let ended = try await Child(
          URL(filePath: "/usr/bin/ldd"), [program.path], environment: [:], in: folder.url,
          name: "ldd"
        ).end(within: .seconds(60))
        #expect(ended.output.contains("libsqlite3"), "\(ended)")
        return ended.output.contains("libpq")
      }
      #expect(try await !linksLibpq(program))
      let archive = program.deletingLastPathComponent().appending(path: "muster-archive")
      #expect(try await linksLibpq(archive))
    }
  }

  @Test(
    .enabled(
      if: Installed.hasFile(URL(filePath: "/usr/bin/dpkg-shlibdeps")), "needs dpkg-dev"))
  func `the Debian packages name what they need, and a node runs from one`() async throws {
    let scratch = try TemporaryFolder()
    // The programs of tests need Swift's libraries, which no package of Debian contains.
    try Self.run(
      "Scripts/deb.sh", [try Program.located().path, scratch.url.path], in: scratch.url,
      ["SHLIBDEPS": "--ignore-missing-info", "COMPRESSION": "none"])
    func package(_ name: String) throws -> URL {
      let files = try FileManager.default.contentsOfDirectory(
        at: scratch.url, includingPropertiesForKeys: nil)
      return try #require(files.first { $0.lastPathComponent.hasPrefix(name + "_") })
    }
    func dpkg(_ arguments: String...) async throws -> String {
      let ended = try await Child(
        URL(filePath: "/usr/bin/dpkg-deb"), arguments, environment: [:], in: scratch.url,
        name: "dpkg-deb"
      ).end(within: .seconds(300))
      #expect(ended.status == 0, "\(ended)")
      return ended.output
    }
    let node = try await dpkg("--field", package("muster").path, "Depends")
    for library in ["libsodium23", "libsqlite3-0", "libqrencode4", "libdbus-1-3"] {
      #expect(node.contains(library), "\(node)")
    }
    // A laptop needs neither PostgreSQL nor, for anything but photos, libvips.
    #expect(!node.contains("libpq") && !node.contains("libvips"), "\(node)")
    let recommended = try await dpkg("--field", package("muster").path, "Recommends")
    #expect(recommended.contains("libvips42") && recommended.contains("libjs-leaflet"))
    #expect(try await dpkg("--field", package("muster-archive").path, "Depends").contains("libpq5"))
    // The scripts run in an image of a system without systemd, too.
    let root = scratch.url.appending(path: "root")
    _ = try await dpkg("--raw-extract", package("muster").path, root.path)
    for script in ["postinst", "prerm", "postrm"] {
      let text = try String(contentsOf: root.appending(path: "DEBIAN/" + script), encoding: .utf8)
      #expect(text.hasPrefix("#!/bin/sh\n") && !text.contains("@"), "\(script)")
      #expect(!text.contains("rm "), "the home is never removed")
    }
    let unit = try String(
      contentsOf: root.appending(path: "usr/lib/systemd/system/muster.service"), encoding: .utf8)
    #expect(unit.contains("ExecStart=/usr/bin/muster run\n"))
    for helper in ["muster-image", "muster-file"] {
      #expect(Installed.hasFile(root.appending(path: "usr/bin/" + helper)), "\(helper)")
    }
    try await Field.run(of: root.appending(path: "usr/bin/muster")) { field in
      let anna = try await field.founder("Anna")
      let running = try await anna.run(peers: [])
      try await running.stop()
    }
  }

  @Test(.needsBrowser)
  func `the installed page and its map open in a browser`() async throws {
    try await Self.withInstalled { program in
      let script = Self.repository.appending(path: "Tests/Browser/dashboard.py")
      let walk = try await Python.run([
        script.path, "--muster", program.path, "--port", "0", "--patience", "900", "--opening",
      ])
      #expect(walk.status == 0, "\(walk.output)")
    }
  }

  /// Installs the built program, and removes it after the test.
  private static func withInstalled(_ story: (URL) async throws -> Void) async throws {
    let scratch = try TemporaryFolder()
    try run("Scripts/install.sh", [try Program.located().path], in: scratch.url)
    try await story(scratch.url.appending(path: "usr/local/bin/muster"))
  }

  /// Runs a script, with a path below the repository or a full one. A folder replaces `/`.
  private static func run(
    _ script: String, _ arguments: [String], in root: URL, _ environment: [String: String] = [:]
  ) throws {
    let process = Process()
    process.executableURL = URL(filePath: script, relativeTo: repository)
    process.arguments = arguments
    process.currentDirectoryURL = repository
    process.environment = ProcessInfo.processInfo.environment
      .merging(["DESTDIR": root.path, "PREFIX": "/usr/local"]) { $1 }
      .merging(environment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
