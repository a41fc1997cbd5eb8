import Foundation
import Testing

/// Scripts have no compiler: an interpreter reads each before a test of minutes needs it.
@Suite struct ScriptTests {
  private static let readers = [
    "py": [
      "python3", "-c", "import ast, sys; [ast.parse(open(f).read(), f) for f in sys.argv[1:]]",
    ],
    "sh": ["sh", "-c", "for file; do bash -n \"$file\" || exit 1; done", "sh"],
  ]

  @Test("every script can be parsed", arguments: readers.keys.sorted())
  func parses(kind: String) throws {
    let root = try SourceTree(below: []).root
    let files = ["Scripts", "Tests"].flatMap { folder in
      let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      return (paths?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".\(kind)") }
        .map { root.appending(path: folder).appending(path: $0).path }
    }
    #expect(!files.isEmpty)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = try #require(Self.readers[kind]) + files
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let faults = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: faults, as: UTF8.self))")
  }
}
