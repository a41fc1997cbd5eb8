import Foundation
import MusterTestKit
import Synchronization

/// The laptops and wires of one test, in separate namespaces and a separate folder, and all their
/// processes.
final class Valley: LaptopStage {
  let scratch: TemporaryFolder
  private let prefix: String
  private let program: URL
  private let ip: URL
  private let state = Mutex(State())

  private struct State {
    var laptops = 0
    var wires = 0
    var children: [Child] = []
    var nodes: [(name: String, child: Child)] = []
  }

  private static let started = Mutex(0)

  /// Runs a test, then ends every process and removes the namespaces, whatever the result.
  /// Prints the logs of the nodes if it failed.
  static func run(_ story: (Valley) async throws -> Void) async throws {
    let number = started.withLock {
      $0 += 1
      return $0
    }
    let prefix = "\(Namespaces.prefix)\(number)-"
    let sentinel = try Namespaces.Guard(over: prefix)
    defer { sentinel.end() }
    defer { Namespaces.clear(prefix) }
    let valley = try Valley(prefix)
    defer { valley.clear() }
    do {
      try await story(valley)
    } catch {
      valley.printLogs()
      throw error
    }
  }

  private init(_ prefix: String) throws {
    self.prefix = prefix
    program = try Program.located()
    guard let ip = Namespaces.path(of: "ip") else { throw Failed("no program `ip`") }
    self.ip = ip
    scratch = try TemporaryFolder()
    try Namespaces.run("ip", "netns", "add", prefix + "air")
  }

  /// A laptop that was admitted by files, before the network exists.
  func joiner(_ name: String, admittedBy commander: Laptop) async throws -> Laptop {
    let laptop = try laptop(name)
    let (request, grant) = (path("\(name).request"), path("\(name).grant"))
    try await laptop.send("join", "--request", request, "--callsign", name)
    try await commander.send("admit", request, "--out", grant)
    try await laptop.send("join", "--grant", grant)
    return laptop
  }

  @discardableResult
  func wire(_ laptops: Laptop...) throws -> Wire {
    let number = state.withLock {
      $0.wires += 1
      return $0.wires
    }
    return try Wire(number, in: prefix + "air", between: laptops)
  }

  /// - Parameter stays: whether it is a node, whose log is printed after a failure.
  func start(_ words: [String], on laptop: Laptop, stays: Bool) throws -> Child {
    try state.withLock { state in
      let child = try Child(
        ip, ["netns", "exec", laptop.space, program.path] + words,
        environment: Child.surroundings(home: path("unused"))
          .merging(["MUSTER_STATE": laptop.state.path]) { $1 },
        in: folder, name: "\(state.children.count)")
      state.children.append(child)
      if stays { state.nodes.append((laptop.name, child)) }
      return child
    }
  }

  func laptop(_ name: String) throws -> Laptop {
    let number = state.withLock {
      $0.laptops += 1
      return $0.laptops
    }
    let space = "\(prefix)\(number)"
    try Namespaces.run("ip", "netns", "add", space)
    try Namespaces.run("ip", "-n", space, "link", "set", "lo", "up")
    return Laptop(
      name: name, number: number, space: space, valley: self, folder: try folder(of: name))
  }

  private func printLogs() {
    for (name, child) in state.withLock({ $0.nodes }) {
      do {
        let lines = try child.complaints.split(separator: "\n")
        print("--- \(name)'s node, the last of \(lines.count) lines:")
        for line in lines.suffix(60) { print(line) }
      } catch {
        print("--- \(name)'s node: \(error)")
      }
    }
  }

  private func clear() {
    for child in state.withLock({ $0.children }) { child.endNow() }
  }
}
