internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct PeersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract: "Show the links to other devices, or the mesh topology.",
    discussion: """
      Example:  muster peers
                muster peers --mesh

      LINK: connected (a session is open), seen (its announces arrive) or silent. MISSING counts \
      frames of this node that the peer has not confirmed. INTERFACE is the network interface of \
      this laptop that received its last datagram.

      --mesh shows all links that this node knows of. Nodes publish changes of their links at \
      growing intervals.
      """)

  @Flag(help: "Show the whole mesh, not only the peers of this node.")
  var mesh = false
  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    if mesh { return try await printMesh(by: connection) }
    guard case .status(let status) = try await connection.ask(.status) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(JSON.array(status.peers.map(\.json)).text) }
    guard !status.peers.isEmpty else {
      return try Standard.print(
        connection.isRunning
          ? "No peers yet." : "The node is not running: it has no peers.")
    }
    try Standard.print(PeerView.details(of: status.peers).text(on: .current))
  }

  private func printMesh(by connection: NodeConnection) async throws {
    guard case .mesh(let mesh) = try await connection.ask(.mesh) else {
      throw Refusal.unexpectedReply
    }
    let now = SystemClock.wall
    if output.json {
      return try Standard.print(JSON.array(mesh.links.map { $0.json(now: now) }).text)
    }
    guard !mesh.links.isEmpty else {
      return try Standard.print("No links are known.")
    }
    try Standard.print(MeshView.table(of: mesh, now: now).text(on: .current))
  }
}
