import Foundation
import Synchronization

/// A process that writes to files: a pipe that nobody empties stops the one who fills it.
final class Child: Sendable {
  let words: [String]
  private let output: URL
  private let errors: URL
  /// `Process` is made for one thread at a time; the lock sees to that.
  private let process: Mutex<Process>

  /// - Parameter name: of the two files in the folder.
  init(
    _ program: URL, _ words: [String], environment: [String: String], in folder: URL, name: String
  ) throws {
    self.words = words
    output = folder.appending(path: "\(name).out")
    errors = folder.appending(path: "\(name).err")
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = environment
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.file(output)
    process.standardError = try Self.file(errors)
    try process.run()
    self.process = Mutex(process)
  }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// What it has written to standard error so far.
  var complaints: String {
    get throws { String(decoding: try Data(contentsOf: errors), as: UTF8.self) }
  }

  /// Waits for its end; returns its output. One that takes too long, or fails, is an error.
  @discardableResult
  func end(within limit: Duration) async throws -> String {
    let deadline = ContinuousClock.now + limit
    while isRunning {
      if ContinuousClock.now > deadline {
        endNow()
        throw Failed("`\(words.joined(separator: " "))` did not end within \(limit)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let (reason, status) = process.withLock { ($0.terminationReason, $0.terminationStatus) }
    guard reason == .exit, status == 0 else {
      throw Failed("`\(words.joined(separator: " "))` ended with \(status): \(try complaints)")
    }
    return String(decoding: try Data(contentsOf: output), as: UTF8.self)
      .trimmingCharacters(in: .newlines)
  }

  /// Asks it to stop, as a person or a service manager does.
  func terminate() { process.withLock { if $0.isRunning { $0.terminate() } } }

  /// Stops it where it stands, as a closed lid does, until `wake`.
  func freeze() { process.withLock { _ = kill($0.processIdentifier, SIGSTOP) } }

  func wake() { process.withLock { _ = kill($0.processIdentifier, SIGCONT) } }

  /// Kills it and waits, which a cancelled task could not do by `end`.
  func endNow() {
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
