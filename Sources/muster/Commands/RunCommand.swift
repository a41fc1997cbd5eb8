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
                muster run --gpsd 127.0.0.1
                muster run --nmea /dev/ttyUSB0 --map valley.mbtiles
                muster run --serve 0.0.0.0:7443
                muster run --uplink https://post.example.org:7443

      Stays in the foreground until Ctrl-C. Laptops on one network find each other by multicast; \
      --peer names one that multicast does not reach. Logs go to standard error.

      The dashboard and the API are served on 127.0.0.1:7480, or on the next port that is free: \
      open the address that is printed. Clients need the token in run/http-token of the home; \
      --trust-local turns that off, --no-http the listener.

      Where this laptop is, one source tells: gpsd, a receiver's NMEA sentences (a device, - for \
      standard input, udp://:10110), or a recorded track (GPX, or NMEA in a file). Phones send \
      their positions to the same address: OsmAnd and Traccar's client to /TOKEN/, OwnTracks to \
      /TOKEN/owntracks, or with the token as a password. Phones on other machines need \
      --http ADDRESS:PORT and a token of their own in MUSTER_HTTP_TOKEN, which is not encrypted \
      on its way.

      A command post that others can reach over the internet runs with --serve; a laptop with \
      internet goes there with --uplink, by HTTPS, and carries all that it holds both ways. \
      Through an HTTP proxy: --proxy, or HTTPS_PROXY and NO_PROXY. It takes no certificate but \
      those that the operation's commanders have named, which every laptop learns by itself.

      What no flag says may stand in the environment (MUSTER_LISTEN, MUSTER_PEER, \
      MUSTER_MULTICAST, MUSTER_LINK_RATE, MUSTER_GPSD, MUSTER_NMEA, MUSTER_HTTP, \
      MUSTER_HTTP_TOKEN, MUSTER_TRUST_LOCAL, MUSTER_MAP, MUSTER_SERVE, MUSTER_UPLINK, \
      MUSTER_PROXY), else in muster.toml in the home:

                listen = "0.0.0.0:7474"
                peer = ["192.0.2.7:7474"]
                multicast = true
                link-rate = "64kbit"
                gpsd = "127.0.0.1:2947"
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

  @Option(
    help: ArgumentHelp("The gpsd that tells where this laptop is.", valueName: "host[:port]"),
    transform: GpsdArgument.init(parsing:))
  var gpsd: GpsdArgument?

  @Option(
    help: ArgumentHelp("A receiver's NMEA 0183 sentences.", valueName: "file|-|udp://:port"),
    transform: NMEAArgument.init(parsing:))
  var nmea: NMEAArgument?

  @Option(help: ArgumentHelp("Replays a recorded track as this laptop's way.", valueName: "file"))
  var gpx: String?

  @Option(
    help: ArgumentHelp("How much faster than recorded. (default: 1)", valueName: "times"),
    transform: RunCommand.speed)
  var speed: ReplaySpeed?

  @Flag(help: "Follows the location profile for the background, which spares the battery.")
  var background = false

  @Option(
    help: ArgumentHelp(
      "Where to serve the dashboard, the API and phones. (default: 127.0.0.1:7480)",
      valueName: "address:port"),
    transform: HTTPArgument.init(parsing:))
  var http: HTTPArgument?

  @Flag(help: "Serves no dashboard, API or phones over HTTP.")
  var noHttp = false

  @Flag(
    help: "Asks for no token on a loopback address: everyone on this machine may read and write.")
  var trustLocal = false

  @Option(
    help: ArgumentHelp(
      "Where laptops come by uplink (HTTPS): this node is a command post.",
      valueName: "address:port"),
    transform: HTTPArgument.init(parsing:))
  var serve: HTTPArgument?

  @Option(
    help: ArgumentHelp(
      "A command post to go to; may be given again.", valueName: "https://host:port"),
    transform: UplinkArgument.init(parsing:))
  var uplink: [UplinkArgument] = []

  @Option(
    help: ArgumentHelp("The HTTP proxy on the way there.", valueName: "http://host:port"))
  var proxy: String?

  @Option(
    help: ArgumentHelp(
      "What the dashboard's map lies on: MBTiles with pictures.", valueName: "file"))
  var map: String?

  @OptionGroup var home: HomeOptions

  func validate() throws {
    if [gpsd != nil, nmea != nil, gpx != nil].count(where: { $0 }) > 1 {
      throw ValidationError("only one of --gpsd, --nmea and --gpx can tell where this laptop is")
    }
    if noHttp, http != nil { throw ValidationError("--http and --no-http exclude each other") }
    let isRecording = if case .file? = nmea { true } else { gpx != nil }
    if speed != nil, !isRecording {
      throw ValidationError("--speed belongs to --gpx, or to a file of --nmea")
    }
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
      location: try location(by: settings), speed: speed ?? .asRecorded,
      inBackground: background, http: try listener(by: settings),
      map: try map ?? settings.value(of: .map) { $0 },
      serve: try serve ?? settings.value(of: .serve, HTTPArgument.init(parsing:)),
      uplinks: try
        (uplink.isEmpty ? settings.values(of: .uplink, UplinkArgument.init(parsing:)) : uplink)?
        .map(\.target) ?? [],
      proxy: try proxy.map { try UplinkArgument.proxy($0) } ?? settings.proxy,
      linkRate: try (linkRate ?? settings.value(of: .linkRate, LinkRateArgument.init(parsing:)))?
        .rate)
  }

  /// Where programs and phones are served; nil for nowhere.
  private func listener(by settings: Settings) throws -> HTTPListener? {
    if noHttp { return nil }
    let text = try settings.value(of: .http) { $0 }
    if http == nil, text == HTTPListener.off { return nil }
    guard let chosen = try http ?? settings.value(of: .http, HTTPArgument.init(parsing:)) else {
      let isTrusted = try trusts(settings)
      return HTTPListener(
        place: .standard, access: isTrusted ? .trusted : .token, whenTaken: .useNext)
    }
    if let token = try settings.value(of: .httpToken, { $0 }) {
      return HTTPListener(place: chosen, access: .phones(token), whenTaken: .fail)
    }
    guard chosen.isLoopback else {
      throw Refusal(
        "\(chosen.host) can be reached from elsewhere: set MUSTER_HTTP_TOKEN, or http-token in "
          + "muster.toml, to what phones have to know")
    }
    return HTTPListener(
      place: chosen, access: try trusts(settings) ? .trusted : .token, whenTaken: .fail)
  }

  private func trusts(_ settings: Settings) throws -> Bool {
    try trustLocal || settings.flag(.trustLocal) ?? false
  }

  /// A flag for one source leaves aside what is set for another.
  private func location(by settings: Settings) throws -> LocationChoice? {
    if let gpsd { return .gpsd(gpsd) }
    if let nmea { return try LocationChoice(nmea) }
    if let gpx { return .track(try track(gpx), file: gpx) }
    let gpsd = try settings.value(of: .gpsd, GpsdArgument.init(parsing:))
    let nmea = try settings.value(of: .nmea, NMEAArgument.init(parsing:))
    guard gpsd == nil || nmea == nil else {
      throw Refusal("gpsd and nmea are both set: only one can tell where this laptop is")
    }
    return try gpsd.map { .gpsd($0) } ?? nmea.map { argument in try LocationChoice(argument) }
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
