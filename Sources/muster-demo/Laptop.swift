internal import Foundation

/// A laptop of the story: its home and keys, and the commands that run on it.
struct Laptop: Sendable {
  let callsign: String
  /// In the demo's folder, like the log.
  let home: URL
  let keys: URL
  let log: URL
  let children: Children
  let journal: Journal

  /// Runs a command that changes nothing.
  func ask<Answer: Decodable & Sendable>(
    _ type: Answer.Type, _ words: String...
  ) async throws -> Answer {
    try decode(type, try await perform(words + ["--json"]), of: words)
  }

  /// Runs a command that changes something, and adds it to the journal.
  func send(_ words: String...) async throws {
    try journal.note(callsign, words)
    _ = try await perform(words)
  }

  /// Runs a command like `tell(_:)`, and decodes its output.
  func send<Answer: Decodable & Sendable>(
    _ type: Answer.Type, _ words: String...
  ) async throws -> Answer {
    try journal.note(callsign, words)
    return try decode(type, try await perform(words + ["--json"]), of: words)
  }

  /// Starts the node, and returns when it accepts commands.
  func start(_ words: [String]) async throws {
    let words =
      ["run", "--listen", "127.0.0.1:0", "--no-multicast"]
      + (words.contains("--http") ? [] : ["--no-http"]) + words
    try journal.note(callsign, words)
    try await children.startNode(callsign, words + folders, log: log)
    let socket = home.appending(path: "run/muster.sock").path
    let deadline = ContinuousClock.now + .seconds(15)
    while !FileManager.default.fileExists(atPath: socket) {
      guard ContinuousClock.now < deadline else {
        throw Failure("\(callsign)'s node does not accept commands after 15 s")
      }
      try await checkIsAlive()
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func checkIsAlive() async throws {
    guard let dead = await children.deadNode() else { return }
    throw Failure("the node of \(dead.name) ended by itself, with status \(dead.status)")
  }

  private var folders: [String] { ["--home", home.path, "--keys", keys.path] }

  private func perform(_ words: [String]) async throws -> Data {
    try await checkIsAlive()
    let ended = try await children.run(words + folders)
    guard ended.status == 0 else {
      let reason = ended.errors.split(separator: "\n").last ?? "no reason given"
      let command = "muster \(words.joined(separator: " "))"
      throw Failure("\(callsign)'s `\(command)` ended with \(ended.status): \(reason)")
    }
    return ended.output
  }

  private func decode<Answer: Decodable>(
    _ type: Answer.Type, _ data: Data, of words: [String]
  ) throws -> Answer {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw Failure(
        "\(callsign)'s `muster \(words.joined(separator: " "))` returned unexpected "
          + "output: \(String(decoding: data.prefix(200), as: UTF8.self))")
    }
  }
}

/// The journal of all commands that changed something, for the user to read.
final class Journal: Sendable {
  let url: URL
  private let file: FileHandle

  init(_ url: URL) throws {
    self.url = url
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw Failure("cannot write \(url.path)")
    }
    file = try FileHandle(forWritingTo: url)
  }

  func note(_ callsign: String, _ words: [String]) throws {
    let command = words.map { $0.contains(where: { " '\"".contains($0) }) ? "\"\($0)\"" : $0 }
    let line = "\(callsign):  muster \(command.joined(separator: " "))\n"
    try file.write(contentsOf: Data(line.utf8))
  }
}
