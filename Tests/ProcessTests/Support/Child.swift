import Foundation
import Synchronization

/// A process of the program, which writes to files: a pipe that nobody empties stops the one who
/// fills it.
final class Child: Sendable {
  let words: [String]
  let pid: pid_t
  private let output: URL
  private let errors: URL
  /// `Process` is made for one thread at a time; the lock sees to that.
  private let process: Mutex<Process>

  init(
    _ program: URL, _ words: [String], environment: [String: String], in folder: URL, number: Int
  ) throws {
    self.words = words
    output = folder.appending(path: "\(number).out")
    errors = folder.appending(path: "\(number).err")
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.environment = environment
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.file(output)
    process.standardError = try Self.file(errors)
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
  }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// What it has written to standard output so far.
  var written: String {
    get throws { String(decoding: try Data(contentsOf: output), as: UTF8.self) }
  }

  /// What it has written to standard error so far.
  var complaints: String {
    get throws { String(decoding: try Data(contentsOf: errors), as: UTF8.self) }
  }

  func signal(_ number: Int32) {
    process.withLock { if $0.isRunning { kill($0.processIdentifier, number) } }
  }

  /// Waits for its end; one that takes longer is killed.
  func end(within limit: Duration) async throws -> Ended {
    let deadline = ContinuousClock.now + limit
    while isRunning {
      if ContinuousClock.now > deadline {
        endNow()
        throw Failed("`muster \(words.joined(separator: " "))` did not end within \(limit)")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    let status = process.withLock {
      $0.terminationReason == .exit ? $0.terminationStatus : 128 + $0.terminationStatus
    }
    return Ended(words: words, status: status, output: try written, errors: try complaints)
  }

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

/// Kills a process when the tests themselves are killed: a shell that waits for a word on a pipe,
/// which the system closes with its writer.
final class Watch: Sendable {
  private let pipe = Pipe()
  private let shell = Mutex(Process())

  init(over child: Child) throws {
    try shell.withLock { shell in
      shell.executableURL = URL(filePath: "/bin/sh")
      shell.arguments = ["-c", "read -r word || kill -9 $0", "\(child.pid)"]
      shell.standardInput = pipe
      shell.standardOutput = FileHandle.nullDevice
      shell.standardError = FileHandle.nullDevice
      try shell.run()
    }
  }

  /// MUST be called when the process has ended, since its id may become another's.
  func end() {
    do {
      try pipe.fileHandleForWriting.write(contentsOf: Data("done\n".utf8))
    } catch {
      print("a watching shell ended early: \(error)")
    }
    shell.withLock { $0.waitUntilExit() }
  }
}
