internal import Foundation

/// Every process that the demo starts, so that none outlives it.
///
/// Commands run to their end; nodes run until `endAll`. After that nothing can be started, so that
/// a story that has not noticed its end yet leaves no process behind.
actor Children {
  struct Ended: Sendable {
    let status: Int32
    let output: Data
    let errors: String
  }

  /// The timeout of a command, far more than any needs.
  private static let longest = 20.0

  /// The time for a node to stop before it is killed.
  private static let patience = Duration.seconds(5)

  private let program: URL
  private let environment: [String: String]
  private let folder: URL
  private var commands: [Int: Process] = [:]
  private var nodes: [(name: String, process: Process)] = []
  private var started = 0
  private var isOver = false

  /// Creates an empty set of processes.
  ///
  /// - Parameter folder: for the output of commands while they run.
  init(program: URL, environment: [String: String], folder: URL) {
    self.program = program
    self.environment = environment
    self.folder = folder
  }

  /// Runs a command to its end.
  func run(_ arguments: [String]) async throws -> Ended {
    started += 1
    let number = started
    // Files rather than pipes: a pipe that is not read blocks its writer.
    let output = try Scratch(folder.appending(path: "\(number).out"))
    let errors = try Scratch(folder.appending(path: "\(number).err"))
    defer {
      output.remove()
      errors.remove()
    }
    let process = process(arguments, output: output.handle, errors: errors.handle)
    defer { commands[number] = nil }
    let began = ContinuousClock.now
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try start(process)
        commands[number] = process
      } catch {
        continuation.resume(throwing: error)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.longest) { [weak process] in
        // Ended, unless the command hangs.
        if let process, process.isRunning { kill(process.processIdentifier, SIGKILL) }
      }
    }
    if isOver { throw CancellationError() }
    if process.terminationReason != .exit, began.duration(to: .now) >= .seconds(Self.longest) {
      throw Failure("`muster \(arguments.joined(separator: " "))` did not end in \(Self.longest) s")
    }
    return Ended(
      status: status, output: try output.contents(),
      errors: String(decoding: try errors.contents(), as: UTF8.self))
  }

  /// Starts a node that keeps running.
  func startNode(_ name: String, _ arguments: [String], log: URL) throws {
    let log = try Scratch(log)
    let process = process(arguments, output: log.handle, errors: log.handle)
    try start(process)
    nodes.append((name, process))
  }

  /// Returns the name and status of a node that ended unexpectedly.
  func deadNode() -> (name: String, status: Int32)? {
    nodes.first { !$0.process.isRunning }.map { ($0.name, $0.process.terminationStatus) }
  }

  /// Ends everything: commands at once, nodes by SIGTERM as a user would.
  ///
  /// - Returns: the nodes that did not stop cleanly.
  @discardableResult
  func endAll() async -> [String] {
    isOver = true
    for process in commands.values where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
    }
    for (_, process) in nodes where process.isRunning { process.terminate() }
    let deadline = ContinuousClock.now + Self.patience
    while nodes.contains(where: { $0.process.isRunning }), ContinuousClock.now < deadline {
      await pause()
    }
    for (_, process) in nodes where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      while process.isRunning { await pause() }
    }
    defer { nodes = [] }
    return nodes.filter {
      $0.process.terminationReason != .exit || $0.process.terminationStatus != 0
    }
    .map { "\($0.name) (status \($0.process.terminationStatus))" }
  }

  /// Not `Task.sleep` alone, which returns at once in a cancelled task.
  private func pause() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
        continuation.resume()
      }
    }
  }

  private func process(
    _ arguments: [String], output: FileHandle, errors: FileHandle
  ) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    return process
  }

  private func start(_ process: Process) throws {
    if isOver { throw CancellationError() }
    do {
      try process.run()
    } catch {
      throw Failure("cannot start \(program.path): \(error.localizedDescription)")
    }
  }
}

/// A file for the output of a child process.
private struct Scratch {
  let url: URL
  let handle: FileHandle

  init(_ url: URL) throws {
    self.url = url
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw Failure("cannot write \(url.path)")
    }
    handle = try FileHandle(forWritingTo: url)
  }

  func contents() throws -> Data { try Data(contentsOf: url) }

  func remove() {
    do {
      try handle.close()
      try FileManager.default.removeItem(at: url)
    } catch {
      // It is in the demo's own folder, which the next demo removes.
    }
  }
}
