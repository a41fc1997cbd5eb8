import Foundation
import TestSupport
import Testing

/// A laptop of a story: a network namespace, a home, and the commands that are given on it.
struct Laptop: Sendable {
  let name: String
  /// From 1 in its valley; the end of its addresses.
  let number: Int
  let space: String
  let valley: Valley
  /// Holds the home and the state.
  let folder: URL

  var home: URL { folder.appending(path: "home") }
  var state: URL { folder.appending(path: "state") }

  /// Far more than any command takes, so that a busy machine changes nothing.
  private static let patience = Duration.seconds(60)

  /// Gives a command that is to be carried out; what it prints.
  @discardableResult
  func tell(_ words: String...) async throws -> String {
    try await begin(words).succeed(within: Self.patience)
  }

  /// As `tell`, with an answer for programs.
  func ask(_ words: String...) async throws -> JSON {
    let answer = try await begin(words + ["--json"]).succeed(within: Self.patience)
    return try JSONDecoder().decode(JSON.self, from: Data(answer.utf8))
  }

  /// Adds a report; its id.
  func report(_ title: String) async throws -> String {
    try await tell("report", "add", "--title", title)
  }

  func reports() async throws -> Set<String> {
    Set(try await ask("report", "list").items.compactMap { $0["id"].text })
  }

  func stateHash() async throws -> String {
    let status = try await ask("status")
    guard let hash = status["stateHash"].text else { throw Failed("no hash in \(status)") }
    return hash
  }

  /// The callsigns of those whom the node hears itself.
  func neighbours() async throws -> Set<String> {
    Set(try await ask("status")["peers"].items.compactMap { $0["callsign"].text })
  }

  /// What the node says of another that it has met.
  func peer(_ callsign: String) async throws -> JSON {
    try await ask("status")["peers"].items.first { $0["callsign"] == .string(callsign) } ?? .null
  }

  /// Everything on it checked from the signatures up.
  func requireSound(at place: SourceLocation = #_sourceLocation) async throws {
    let report = try await ask("verify")
    try #require(report["ok"] == .bool(true), "\(name): \(report)", sourceLocation: place)
  }

  /// Starts the node; returns when it takes commands.
  @discardableResult
  func run(_ more: String...) async throws -> Child {
    let node = try valley.start(
      ["run", "--no-http"] + more + ["--home", home.path], on: self, stays: true)
    try await eventually("\(name)'s node takes commands") {
      if !node.isRunning { throw Failed("\(name)'s node ended: \(try node.complaints)") }
      return try node.complaints.contains("listening on UDP port")
    }
    return node
  }

  private func begin(_ words: [String]) throws -> Child {
    try valley.start(words + ["--home", home.path], on: self, stays: false)
  }
}
