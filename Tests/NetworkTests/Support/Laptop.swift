import Foundation
import MusterTestKit

/// A laptop in a network namespace of its own.
struct Laptop: LaptopProcess {
  let name: String
  /// Counts from 1 in its valley; the last part of its addresses.
  let number: Int
  let space: String
  let valley: Valley
  let folder: URL

  /// Adds a report and returns its id.
  func report(_ title: String) async throws -> String {
    try await send("report", "add", "--title", title)
  }

  func reports() async throws -> Set<String> {
    Set(try await ask("report", "list").items.compactMap { $0["id"].text })
  }

  /// The callsigns of the node's own peers.
  func neighbours() async throws -> Set<String> {
    Set(try await ask("status")["peers"].items.compactMap { $0["callsign"].text })
  }

  /// The node's entry for a peer.
  func peer(_ callsign: String) async throws -> JSON {
    try await ask("status")["peers"].items.first { $0["callsign"] == .string(callsign) } ?? .null
  }

  /// Starts the node; returns when it accepts commands.
  @discardableResult
  func run(_ more: String...) async throws -> Child {
    let node = try begin(["run", "--no-http"] + more, stays: true)
    try await eventually("\(name)'s node accepts commands") {
      if !node.isRunning { throw Failed("\(name)'s node ended: \(try node.complaints)") }
      return try node.complaints.contains("listening on UDP port")
    }
    return node
  }

  func begin(_ words: [String], stays: Bool) throws -> Child {
    try valley.start(words + ["--home", home.path], on: self, stays: stays)
  }
}
