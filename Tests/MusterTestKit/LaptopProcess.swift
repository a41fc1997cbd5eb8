package import Foundation

/// A laptop of a test: a home with keys, a state folder beside it, and its commands as processes.
/// Each test target places its laptops: on the loopback interface, or in network namespaces.
package protocol LaptopProcess: Sendable {
  var name: String { get }
  /// The folder of the home and the state.
  var folder: URL { get }

  /// Starts a command on the home and does not wait.
  ///
  /// - Parameter stays: whether it runs until it is ended.
  func begin(_ words: [String], stays: Bool) throws -> Child
}

extension LaptopProcess {
  package var home: URL { folder.appending(path: "home") }
  package var state: URL { folder.appending(path: "state") }

  /// Far more than any command takes, so that load on the machine has no effect.
  private static var patience: Duration { .seconds(60) }

  /// Runs a command, whatever its result.
  package func attempt(_ words: [String]) async throws -> Ended {
    try await begin(words, stays: false).end(within: Self.patience)
  }

  package func attempt(_ words: String...) async throws -> Ended { try await attempt(words) }

  /// Runs a command that must succeed, and returns its output.
  @discardableResult
  package func send(_ words: String...) async throws -> String {
    try await succeed(words).output.trimmingCharacters(in: .newlines)
  }

  /// As `tell`, with the JSON output.
  package func ask(_ words: String...) async throws -> JSON {
    try await succeed(words + ["--json"]).json()
  }

  package func stateHash() async throws -> String {
    let status = try await ask("status")
    guard let hash = status["stateHash"].text else { throw Failed("no hash in \(status)") }
    return hash
  }

  /// Verifies all data, including signatures.
  package func requireSound() async throws {
    let report = try await ask("verify")
    guard report["ok"] == .bool(true) else { throw Failed("\(name): \(report)") }
  }

  private func succeed(_ words: [String]) async throws -> Ended {
    let ended = try await attempt(words)
    guard ended.status == 0 else { throw Failed("\(name): \(ended)") }
    return ended
  }
}

/// Waits until all laptops have converged, and none lacks a key. Returns the elapsed time.
///
/// - Parameter holds: what else the status of each must show.
@discardableResult
package func inStep(
  _ laptops: any LaptopProcess..., within limit: Duration = .seconds(120),
  where holds: (JSON) -> Bool = { _ in true }
) async throws -> Duration {
  try await eventually("\(laptops.map(\.name)) have converged", within: limit) {
    var hashes: Set<String> = []
    for laptop in laptops {
      let status = try await laptop.ask("status")
      guard status["stateIsIncomplete"] == .bool(false), holds(status) else { return false }
      hashes.insert(status["stateHash"].text ?? "")
    }
    return hashes.count == 1
  }
}
