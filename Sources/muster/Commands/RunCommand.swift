internal import ArgumentParser
internal import Logging
internal import MusterHTTP
internal import MusterLocation
internal import MusterModel

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the node: synchronize with every peer in reach.",
    discussion: """
      Example:  muster run
                muster run --gpsd 127.0.0.1
                muster run --peer 192.0.2.7:7474 --gpx walk.gpx --speed 10
                muster run --serve 0.0.0.0:7443
                muster run --uplink https://post.example:7443

      Runs in the foreground until Ctrl-C and logs to standard error. Nodes on one network \
      discover each other by multicast; --peer names one elsewhere.

      Dashboard and API: on 127.0.0.1:7480 or the next free port. Open the printed address, which \
      has a token. Programs find the token in run/http-token of the home.

      Positions: from one source, which is gpsd, an NMEA receiver (a device, "-" for standard \
      input, or udp://:10110) or a recorded track. Phones report to the address of the dashboard: \
      OsmAnd and Traccar to /TOKEN/, OwnTracks to /TOKEN/owntracks. For phones on other machines, \
      set MUSTER_HTTP_TOKEN and give --http ADDRESS:PORT. That token is sent unencrypted.

      Internet: a command post runs with --serve, other nodes with --uplink. They synchronize \
      over HTTPS and accept only certificates that command devices of the operation have named. \
      An HTTP proxy is used as --proxy, or HTTPS_PROXY and NO_PROXY, define.

      Settings: an option overrides its environment variable, such as MUSTER_LINK_RATE for \
      --link-rate, which overrides muster.toml in the home:

        listen = "0.0.0.0:7474"
        peer = ["192.0.2.7:7474"]
        multicast = true
        link-rate = "64kbit"
        gpsd = "127.0.0.1:2947"          # or nmea = "/dev/ttyUSB0"
        serve = "0.0.0.0:7443"
        uplink = ["https://post.example:7443"]
        proxy = "http://192.0.2.1:3128"
        http = "127.0.0.1:7480"          # or "off"
        http-token = "a long secret"     # for phones, with http
        owntracks-key = "as in the app"  # if OwnTracks encrypts
        trust-local = false
        aws-anonymous = false
        map = ["/srv/map.pmtiles"]
        log-level = "info"

      log-level (MUSTER_LOG_LEVEL): trace, debug, info, notice, warning, error or critical. debug \
      logs the reason of each dropped datagram.
      """)

  /// The UDP side of the node.
  struct LinkOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "The UDP address to listen on; a wildcard: IPv4 and IPv6. (default: 0.0.0.0:7474)",
        valueName: "address:port"),
      transform: AddressArgument.init(parsing:))
    var listen: AddressArgument?

    @Option(
      help: ArgumentHelp("A node to connect to. May be repeated.", valueName: "host:port"),
      transform: AddressArgument.init(parsing:))
    var peer: [AddressArgument] = []

    @Flag(help: "Use no multicast.")
    var noMulticast = false

    @Option(
      help: ArgumentHelp(
        "The most to send per second on each link: 64kbit, 1Mbit, 8kB.", valueName: "rate"),
      transform: LinkRateArgument.init(parsing:))
    var linkRate: LinkRateArgument?
  }

  /// The source of this laptop's positions.
  struct PositionOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp("Read positions from this gpsd.", valueName: "host[:port]"),
      transform: GpsdArgument.init(parsing:))
    var gpsd: GpsdArgument?

    @Option(
      help: ArgumentHelp("Read NMEA 0183 sentences.", valueName: "file|-|udp://:port"),
      completion: .file(),
      transform: NMEAArgument.init(parsing:))
    var nmea: NMEAArgument?

    @Option(help: ArgumentHelp("Replay a recorded track.", valueName: "file"), completion: .file())
    var gpx: String?

    @Flag(help: "Refuse a track of which a part must be left out.")
    var strict = false

    @Option(
      help: ArgumentHelp("The speed factor of the replay. (default: 1)", valueName: "factor"),
      transform: RunCommand.speed)
    var speed: ReplaySpeed?

    @Option(
      help: ArgumentHelp(
        "Record devices nearby, from a scanner.", valueName: "file|-|udp://:port"),
      transform: ProximityArgument.init(parsing:))
    var proximity: ProximityArgument?

    @Flag(help: "Use the background sampling profile, to save battery.")
    var background = false
  }

  /// The dashboard, the API and the internet.
  struct WebOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "Serve dashboard, API and phones here. (default: 127.0.0.1:7480)",
        valueName: "address:port"),
      transform: HTTPArgument.init(parsing:))
    var http: HTTPArgument?

    @Flag(help: "Serve no dashboard, API or phones over HTTP.")
    var noHttp = false

    @Flag(help: "Require no token on loopback: any user of this machine can read and write.")
    var trustLocal = false

    @Flag(help: "Require no access key of Amazon Location programs on loopback.")
    var awsAnonymous = false

    @Option(
      help: ArgumentHelp(
        "Show this map, besides those of `muster map`. May be repeated.", valueName: "file"),
      completion: .file())
    var map: [String] = []

    @Option(
      help: ArgumentHelp(
        "Serve phones here over TLS and, as command, uplinks.", valueName: "address:port"),
      transform: HTTPArgument.init(parsing:))
    var serve: HTTPArgument?

    @Option(
      help: ArgumentHelp(
        "How long phones stay logged in without a passphrase. (default: 30d)",
        valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var loginTerm: DurationArgument?

    @Option(
      help: ArgumentHelp(
        "Connect to this command post. May be repeated.", valueName: "https://host:port"),
      transform: UplinkArgument.init(parsing:))
    var uplink: [UplinkArgument] = []

    @Option(
      help: ArgumentHelp("The HTTP proxy for uplinks.", valueName: "http://host:port"))
    var proxy: String?
  }

  @OptionGroup(title: "Network") var link: LinkOptions
  @OptionGroup(title: "Position") var source: PositionOptions
  @OptionGroup(title: "Dashboard and internet") var web: WebOptions
  @OptionGroup(title: "Node") var home: HomeOptions

  func validate() throws {
    let sources = [source.gpsd != nil, source.nmea != nil, source.gpx != nil]
    if sources.count(where: { $0 }) > 1 {
      throw ValidationError("give only one of --gpsd, --nmea and --gpx")
    }
    if web.noHttp, web.http != nil {
      throw ValidationError("give only one of --http and --no-http")
    }
    if source.proximity?.input == .standardInput, source.nmea == .standardInput {
      throw ValidationError("only one of --nmea and --proximity can be -")
    }
    let isRecording = if case .file? = source.nmea { true } else { source.gpx != nil }
    if source.speed != nil, !isRecording {
      throw ValidationError("--speed needs --gpx, or --nmea with a file")
    }
    if source.strict, source.gpx == nil { throw ValidationError("--strict needs --gpx") }
  }

  func run() async throws {
    try await LocalNode.run(chosen(by: Settings(home: home.folders)), home: home)
  }

  /// An option overrides the environment, which overrides the file, which overrides the default.
  private func chosen(by settings: Settings) throws -> RunSettings {
    let address = AddressArgument.init(parsing:)
    return RunSettings(
      listen: try link.listen ?? settings.value(of: .listen, address)
        ?? AddressArgument(parsing: "0.0.0.0:7474"),
      peers: try link.peer.isEmpty ? settings.values(of: .peer, address) ?? [] : link.peer,
      usesMulticast: try link.noMulticast ? false : settings.flag(.multicast) ?? true,
      location: try location(by: settings), speed: source.speed ?? .asRecorded,
      inBackground: source.background, proximity: source.proximity,
      http: try listener(by: settings),
      isAmazonOpen: try web.awsAnonymous || settings.flag(.awsAnonymous) ?? false,
      maps: try web.map.isEmpty ? settings.values(of: .map) { $0 } ?? [] : web.map,
      serve: try web.serve ?? settings.value(of: .serve, HTTPArgument.init(parsing:)),
      loginTerm: try web.loginTerm ?? settings.loginTerm,
      ownTracksKey: try settings.value(of: .ownTracksKey, Self.ownTracksKey),
      uplinks: try
        (web.uplink.isEmpty
        ? settings.values(of: .uplink, UplinkArgument.init(parsing:)) : web.uplink)?
        .map(\.target) ?? [],
      proxy: try web.proxy.map { try UplinkArgument.proxy($0) } ?? settings.proxy,
      linkRate: try
        (link.linkRate
        ?? settings.value(of: .linkRate, LinkRateArgument.init(parsing:)))?.rate,
      logLevel: try settings.value(of: .logLevel, Self.logLevel) ?? .info)
  }

  private static func ownTracksKey(_ text: String) throws -> OwnTracksKey {
    guard let key = OwnTracksKey(text) else {
      throw BadArgument("the key of OwnTracks must have 1 to 32 bytes, as in the app")
    }
    return key
  }

  static func logLevel(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text.lowercased()) else {
      let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw BadArgument("the log level must be one of \(names), not '\(SafeText.line(text))'")
    }
    return level
  }

  /// The HTTP listener; nil for none.
  private func listener(by settings: Settings) throws -> HTTPListener? {
    if web.noHttp { return nil }
    let text = try settings.value(of: .http) { $0 }
    if web.http == nil, text == HTTPListener.off { return nil }
    guard let chosen = try web.http ?? settings.value(of: .http, HTTPArgument.init(parsing:)) else {
      let isTrusted = try trusts(settings)
      return HTTPListener(
        place: .standard, access: isTrusted ? .trusted : .token, whenTaken: .useNext)
    }
    if let token = try settings.value(of: .httpToken, { $0 }) {
      guard chosen.isLoopback || token.utf8.count >= HTTPListener.leastTokenBytes else {
        throw Refusal(
          "the token for phones (MUSTER_HTTP_TOKEN, or http-token in muster.toml) has fewer than "
            + "\(HTTPListener.leastTokenBytes) characters and can be guessed at \(chosen.host): "
            + "set another, for example by: openssl rand -hex 16")
      }
      return HTTPListener(place: chosen, access: .phones(token), whenTaken: .fail)
    }
    guard chosen.isLoopback else {
      throw Refusal(
        "\(chosen.host) is reachable from other machines: set a token for phones, by "
          + "MUSTER_HTTP_TOKEN or http-token in muster.toml")
    }
    return HTTPListener(
      place: chosen, access: try trusts(settings) ? .trusted : .token, whenTaken: .fail)
  }

  private func trusts(_ settings: Settings) throws -> Bool {
    try web.trustLocal || settings.flag(.trustLocal) ?? false
  }

  /// An option for one source overrides a setting for another.
  private func location(by settings: Settings) throws -> LocationChoice? {
    if let gpsd = source.gpsd { return .gpsd(gpsd) }
    if let nmea = source.nmea { return try LocationChoice(nmea) }
    if let gpx = source.gpx { return .track(try track(gpx), file: gpx) }
    let gpsd = try settings.value(of: .gpsd, GpsdArgument.init(parsing:))
    let nmea = try settings.value(of: .nmea, NMEAArgument.init(parsing:))
    guard gpsd == nil || nmea == nil else {
      throw Refusal("gpsd and nmea are both set: remove one of them")
    }
    return try gpsd.map { .gpsd($0) } ?? nmea.map { argument in try LocationChoice(argument) }
  }

  private func track(_ path: String) throws(Refusal) -> GPXTrack {
    let data = try InputFile.data(of: path, limit: GPXTrack.maximumBytes)
    let track: GPXTrack
    do {
      track = try GPXTrack.parse(data)
    } catch {
      throw Refusal("\(path): \(error)")
    }
    guard let omissions = track.outcome.omissionText else { return track }
    guard !source.strict else { throw Refusal("\(path): it is not replayed; \(omissions)") }
    Standard.complain("\(path): \(track.outcome.used) points replayed; \(omissions)")
    return track
  }

  @Sendable fileprivate static func speed(_ text: String) throws -> ReplaySpeed {
    guard let speed = Double(text).flatMap({ ReplaySpeed($0) }) else {
      throw BadArgument("the speed must be a number from 0.001 to 1000000")
    }
    return speed
  }
}
