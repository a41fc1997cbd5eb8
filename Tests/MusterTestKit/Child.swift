package import Foundation
import Synchronization

/// A process of the program, with output to files: a full pipe would block its writer.
package final class Child: Sendable {
  package let words: [String]
  package let pid: pid_t
  private let output: URL
  private let errors: URL
  /// `Process` may be used by one thread at a time, which the lock ensures.
  private let process: Mutex<Process>

  /// - Parameters:
  ///   - name: the name of the two files in the folder.
  ///   - input: the file that is its standard input; nil for none.
  package init(
    _ program: URL, _ words: [String], environment: [String: String], in folder: URL, name: String,
    input: URL? = nil
  ) throws {
    self.words = words
    output = folder.appending(path: "\(name).out")
    errors = folder.appending(path: "\(name).err")
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = environment
    process.currentDirectoryURL = folder
    process.standardInput =
      try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
    let files = [try Self.file(output), try Self.file(errors)]
    (process.standardOutput, process.standardError) = (files[0], files[1])
    // Foundation keeps them open, and `Process.run` crashes by chance with a thousand open files.
    defer { for file in files { try? file.close() } }
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
  }

  /// A minimal environment, so that no files of the tester are used or changed.
  package static func surroundings(home: String) -> [String: String] {
    var variables = ["PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8"]
    // The path of the toolchain's libraries, and the options of `make sanitize`.
    let kept = [
      "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS",
    ]
    for name in kept { variables[name] = ProcessInfo.processInfo.environment[name] }
    return variables
  }

  package var isRunning: Bool { process.withLock { $0.isRunning } }

  /// The standard output so far.
  package var written: String {
    get throws { String(decoding: try Data(contentsOf: output), as: UTF8.self) }
  }

  /// The standard error so far.
  package var complaints: String {
    get throws { String(decoding: try Data(contentsOf: errors), as: UTF8.self) }
  }

  /// Sends a signal to a running process, as `kill` does.
  package func signal(_ number: Int32) {
    process.withLock { if $0.isRunning { kill($0.processIdentifier, number) } }
  }

  /// Waits for its end, and kills it after the limit.
  package func end(within limit: Duration) async throws -> Ended {
    let deadline = ContinuousClock.now + limit
    while isRunning {
      if ContinuousClock.now > deadline {
        endNow()
        throw Failed("`\(words.joined(separator: " "))` did not end within \(limit)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let status = process.withLock {
      $0.terminationReason == .exit ? $0.terminationStatus : 128 + $0.terminationStatus
    }
    return Ended(words: words, status: status, output: try written, errors: try complaints)
  }

  /// Kills it and waits, which a cancelled task could not do with `end`.
  package func endNow() {
    process.withLock { process in
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }
  }

  private static func file(_ url: URL) throws -> FileHandle {
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw Failed("cannot write \(url.path)")
    }
    return try FileHandle(forWritingTo: url)
  }
}
