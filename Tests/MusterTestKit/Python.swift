import Foundation

/// Test programs in Python. They run in the environment that `make test` creates from
/// `Tests/requirements.txt`, or else in the system's Python.
package enum Python {
  private static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  package static func run(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let own = repository.appending(path: ".build/python/bin/python3").path
    let hasOwn = FileManager.default.isExecutableFile(atPath: own)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [hasOwn ? own : "python3"] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  package static func has(_ modules: String...) throws -> Bool {
    try run(["-c", "import \(modules.joined(separator: ", "))"]).status == 0
  }
}
