internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct PeersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract: "Shows whom this laptop hears, by which path, and how far each is behind.",
    discussion: """
      Example:  muster peers
                muster peers --mesh

      LINK: connected (a session is open), heard (its announces come in), or silent. LACKS counts \
      frames that are held here and that it has not shown to hold. BY is the network interface of \
      this laptop that it was last heard by.

      --mesh shows who hears whom as far as it is known here: each laptop tells the others when \
      that has changed, soon at first and ever more seldom while it goes on changing.
      """)

  @Flag(help: "Who hears whom, beyond this laptop's own peers.")
  var mesh = false
  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let door = try await Door.open(home)
    if mesh { return try await printMesh(by: door) }
    guard case .status(let status) = try await door.ask(.status) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(JSON.array(status.peers.map(\.json)).text) }
    guard !status.peers.isEmpty else {
      return try Standard.print(
        door.isRunning
          ? "Nobody has been heard yet." : "The node is not running: nobody is heard.")
    }
    try Standard.print(PeerView.details(of: status.peers).text(on: .current))
  }

  private func printMesh(by door: Door) async throws {
    guard case .mesh(let mesh) = try await door.ask(.mesh) else { throw Refusal.unexpectedReply }
    let now = SystemClock.wall
    if output.json {
      return try Standard.print(JSON.array(mesh.links.map { $0.json(now: now) }).text)
    }
    guard !mesh.links.isEmpty else {
      return try Standard.print("Nobody hears anybody, as far as this laptop knows.")
    }
    try Standard.print(MeshView.table(of: mesh, now: now).text(on: .current))
  }
}
