internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel

struct PeersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract: "Shows whom this laptop hears, by which path, and how far each is behind.",
    discussion: """
      Example:  muster peers

      LINK: connected (a session is open), heard (its announces come in), or silent. LACKS counts \
      frames that are held here and that it has not shown to hold. BY is the network interface of \
      this laptop that it was last heard by.
      """)

  @OptionGroup var home: HomeOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let door = try await Door.open(home)
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
}
