import Foundation
import MusterTestKit
import Testing

/// A laptop of a test: a network namespace, a home, and its commands.
struct Laptop: Sendable {
  let name: String
  /// Counts from 1 in its valley; the last part of its addresses.
  let number: Int
  let space: String
  let valley: Valley
  /// The folder of the home and the state.
  let folder: URL

  var home: URL { folder.appending(path: "home") }
  var state: URL { folder.appending(path: "state") }

  /// Far more than any command takes, so that load on the machine has no effect.
  private static let patience = Duration.seconds(60)

  /// Runs a command that must succeed, and returns its output.
  @discardableResult
  func tell(_ words: String...) async throws -> String {
    try await begin(words).succeed(within: Self.patience)
  }

  /// As `tell`, with the JSON output.
  func ask(_ words: String...) async throws -> JSON {
    let answer = try await begin(words + ["--json"]).succeed(within: Self.patience)
    return try JSONDecoder().decode(JSON.self, from: Data(answer.utf8))
  }

  /// Adds a report and returns its id.
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

  /// The callsigns of the node's own peers.
  func neighbours() async throws -> Set<String> {
    Set(try await ask("status")["peers"].items.compactMap { $0["callsign"].text })
  }

  /// The node's entry for a peer.
  func peer(_ callsign: String) async throws -> JSON {
    try await ask("status")["peers"].items.first { $0["callsign"] == .string(callsign) } ?? .null
  }

  /// Verifies all data, including signatures.
  func requireSound(at place: SourceLocation = #_sourceLocation) async throws {
    let report = try await ask("verify")
    try #require(report["ok"] == .bool(true), "\(name): \(report)", sourceLocation: place)
  }

  /// Starts the node; returns when it accepts commands.
  @discardableResult
  func run(_ more: String...) async throws -> Child {
    let node = try valley.start(
      ["run", "--no-http"] + more + ["--home", home.path], on: self, stays: true)
    try await eventually("\(name)'s node accepts commands") {
      if !node.isRunning { throw Failed("\(name)'s node ended: \(try node.complaints)") }
      return try node.complaints.contains("listening on UDP port")
    }
    return node
  }

  private func begin(_ words: [String]) throws -> Child {
    try valley.start(words + ["--home", home.path], on: self, stays: false)
  }
}
