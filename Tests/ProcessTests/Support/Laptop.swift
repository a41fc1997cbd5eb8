import Foundation
import MusterTestKit
import Testing

/// A laptop on the loopback interface.
struct Laptop: LaptopProcess {
  let name: String
  let field: Field
  /// The folder of the home and the state.
  let folder: URL

  var socket: URL { home.appending(path: "run/muster.sock") }
  var key: URL { home.appending(path: "keys/device.key") }

  func begin(_ words: [String], stays: Bool = false) throws -> Child {
    try field.start(
      words + ["--home", home.path], environment: ["MUSTER_STATE": state.path], stays: stays)
  }

  /// Starts the node; returns when it accepts commands.
  ///
  /// - Parameter port: 0 for a port chosen by the system.
  func run(
    on port: UInt16 = 0, of host: String = "127.0.0.1", peers: [RunningNode] = [],
    _ more: String...
  ) async throws -> RunningNode {
    let words =
      ["run", "--listen", "\(host):\(port)", "--no-multicast"]
      + peers.flatMap { ["--peer", $0.address] } + (more.contains("--http") ? [] : ["--no-http"])
      + more
    let child = try begin(words, stays: true)
    var port: UInt16?
    try await eventually("\(name)'s node accepts commands") {
      if !child.isRunning { throw Failed("\(name): \(try await child.end(within: .zero))") }
      let line = try child.complaints.firstMatch(of: /listening on UDP port (\d+)/)
      port = line.flatMap { UInt16($0.1) }
      return port != nil
    }
    return RunningNode(child: child, port: port ?? 0)
  }

  /// The token for clients of its loopback listener.
  func httpToken() throws -> String {
    try String(contentsOf: home.appending(path: "run/http-token"), encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// A running `muster run`.
struct RunningNode: Sendable {
  let child: Child
  let port: UInt16

  var address: String { "127.0.0.1:\(port)" }

  /// Stops it like a user or a service manager; it must end soon.
  @discardableResult
  func stop(
    by signal: Int32 = SIGTERM, at place: SourceLocation = #_sourceLocation
  ) async throws -> Ended {
    child.signal(signal)
    let ended = try await child.end(within: .seconds(60))
    #expect(ended.status == 0, "\(ended)", sourceLocation: place)
    return ended
  }
}
