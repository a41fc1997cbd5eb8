internal import ArgumentParser
internal import MusterLocation
internal import MusterModel

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs the node: keeps in step with every laptop within reach.",
    discussion: """
      Example:  muster run
                muster run --peer 192.0.2.7:7474 --gpx walk.gpx --speed 10

      Stays in the foreground until Ctrl-C. Laptops on one network find each other by multicast; \
      --peer names one that multicast does not reach. Logs go to standard error.

      What no flag says may stand in the environment (MUSTER_LISTEN, MUSTER_PEER, \
      MUSTER_MULTICAST, MUSTER_LINK_RATE), else in muster.toml in the home:

                listen = "0.0.0.0:7474"
                peer = ["192.0.2.7:7474"]
                multicast = true
                link-rate = "64kbit"
      """)

  @Option(
    help: ArgumentHelp("Where to listen (UDP). (default: 0.0.0.0:7474)", valueName: "address:port"),
    transform: AddressArgument.init(parsing:))
  var listen: AddressArgument?

  @Option(
    help: ArgumentHelp("A laptop to reach; may be given again.", valueName: "host:port"),
    transform: AddressArgument.init(parsing:))
  var peer: [AddressArgument] = []

  @Flag(help: "Neither sends nor hears multicast.")
  var noMulticast = false

  @Option(
    help: ArgumentHelp(
      "The most to send by each link, as 64kbit, 1Mbit or 8kB a second.", valueName: "rate"),
    transform: LinkRateArgument.init(parsing:))
  var linkRate: LinkRateArgument?

  @Option(help: ArgumentHelp("Replays a recorded track as this laptop's way.", valueName: "file"))
  var gpx: String?

  @Option(
    help: ArgumentHelp("How much faster than recorded. (default: 1)", valueName: "times"),
    transform: RunCommand.speed)
  var speed: ReplaySpeed?

  @OptionGroup var home: HomeOptions

  func validate() throws {
    if speed != nil, gpx == nil { throw ValidationError("--speed belongs to --gpx") }
  }

  func run() async throws {
    try await LocalNode.run(chosen(by: Settings(home: home.folders)), home: home)
  }

  /// A flag beats the environment, which beats the file, which beats the default.
  private func chosen(by settings: Settings) throws -> RunSettings {
    let address = AddressArgument.init(parsing:)
    return RunSettings(
      listen: try listen ?? settings.value(of: .listen, address)
        ?? AddressArgument(parsing: "0.0.0.0:7474"),
      peers: try peer.isEmpty ? settings.values(of: .peer, address) ?? [] : peer,
      usesMulticast: try noMulticast ? false : settings.flag(.multicast) ?? true,
      track: try gpx.map(track), speed: speed ?? .asRecorded,
      linkRate: try (linkRate ?? settings.value(of: .linkRate, LinkRateArgument.init(parsing:)))?
        .rate)
  }

  private func track(_ path: String) throws(Refusal) -> GPXTrack {
    let data = try InputFile.data(of: path, limit: GPXTrack.maximumBytes)
    do {
      return try GPXTrack.parse(data)
    } catch {
      throw Refusal("\(path): \(error)")
    }
  }

  @Sendable private static func speed(_ text: String) throws -> ReplaySpeed {
    guard let speed = Double(text).flatMap({ ReplaySpeed($0) }) else {
      throw BadArgument("the speed is a number from 0.001 to 1000000")
    }
    return speed
  }
}
