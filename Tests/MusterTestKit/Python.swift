import Foundation

/// Test programs in Python. They run in the environment that `make test` creates from
/// `Tests/requirements.txt`, or else in the system's Python.
package enum Python {
  private static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a program. The output of a failed one ends with its standard error.
  ///
  /// It waits on a thread of its own: on one of the few that run all tests, these would stand still
  /// for minutes.
  package static func run(_ words: [String]) async throws -> (status: Int32, output: String) {
    try await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Result { try runBriefly(words) })
      }
    }.get()
  }

  /// Runs a program that takes at most seconds: its caller's thread waits.
  package static func runBriefly(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let own = repository.appending(path: ".build/python/bin/python3").path
    let hasOwn = FileManager.default.isExecutableFile(atPath: own)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [hasOwn ? own : "python3"] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    let folder = try TemporaryFolder()
    let errors = folder.url.appending(path: "errors")
    try Data().write(to: errors)
    let file = try FileHandle(forWritingTo: errors)
    defer { try? file.close() }
    process.standardError = file
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    var text = String(decoding: output, as: UTF8.self)
    if process.terminationStatus != 0 {
      text += String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    }
    return (process.terminationStatus, text)
  }

  package static func has(_ modules: String...) throws -> Bool {
    try runBriefly(["-c", "import \(modules.joined(separator: ", "))"]).status == 0
  }
}
