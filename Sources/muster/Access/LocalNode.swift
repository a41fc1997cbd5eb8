internal import Foundation
internal import Logging
internal import MusterAmazon
internal import MusterBluetooth
internal import MusterControl
internal import MusterHTTP
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode
internal import MusterTransport
internal import ServiceLifecycle

extension Membership {
  var json: JSON {
    .object([
      "operation": .id(operation), "operationName": .string(operationName),
      "device": .id(device), "callsign": .string(callsign), "role": .string(role.name),
    ])
  }
}

/// How a node runs in the foreground.
struct RunSettings {
  /// Where it listens, `HOST:PORT`.
  var listen: AddressArgument
  /// Peers to connect to, besides discovered and remembered ones.
  var peers: [AddressArgument]
  var usesMulticast: Bool
  /// The source of positions; a track without times starts with the node.
  var location: LocationChoice?
  var speed: ReplaySpeed
  /// Whether the background sampling profile applies.
  var inBackground: Bool
  /// The scanner of devices nearby; nil for none.
  var proximity: ProximityArgument?
  /// The listener for the dashboard, programs and phones; nil for none.
  var http: HTTPListener?
  /// Whether programs on this machine may send unsigned requests for Amazon Location.
  var isAmazonOpen: Bool
  /// Files of maps, besides those of the home.
  var maps: [String]
  /// The address of the command post; nil if the node is none.
  var serve: HTTPArgument?
  /// How long phones stay logged in without a passphrase.
  var loginTerm: DurationArgument
  /// With which phones encrypt messages of OwnTracks; nil without.
  var ownTracksKey: OwnTracksKey?
  /// The command posts that it connects to.
  var uplinks: [UplinkTarget]
  /// The proxy to the command posts; nil for none.
  var proxy: UplinkProxy?
  /// The rate limit of each link; nil for none.
  var linkRate: LinkRate?
  /// The least severe messages that are logged.
  var logLevel: Logger.Level
}

/// The composition root: the only place where the command line opens homes and nodes.
enum LocalNode {
  /// Opens an enrolled home's node under its lock, for commands only, without a network.
  static func open(home: HomeOptions) async throws -> any CommandPerformer {
    let opened = try opened(home)
    if let remark = opened.repairRemark { Standard.complain(remark) }
    return Node(opened, transport: nil, logger: logger(.info))
  }

  /// Opens the node of a temporary home, which has no database yet.
  static func open(_ folders: NodeHome, keysOf home: HomeOptions) throws -> any CommandPerformer {
    Node(try opened(folders, keysOf: home), transport: nil, logger: logger(.warning))
  }

  /// Creates an operation, with this device as its first one of role command.
  static func create(
    operation: String, callsign: String, home: HomeOptions, passphrase: Passphrase?
  ) async throws -> Membership {
    try Founding.found(
      operation: operation, callsign: callsign, home: home.folders, passphrase: passphrase?.bytes)
  }

  /// Enrols this device over the network.
  static func join(
    _ invitation: InvitationURL, callsign: String, home: HomeOptions, passphrase: Passphrase?,
    timeoutSeconds: Int64, progress: ProgressLine
  ) async throws -> Membership {
    try await Founding.join(
      invitation: invitation.invitation, callsign: callsign, home: home.folders,
      passphrase: passphrase?.bytes, timeoutMilliseconds: timeoutSeconds * 1000,
      progress: progress.note)
  }

  /// Enrols this device over HTTPS, at a command post.
  static func join(
    _ invitation: InvitationURL, by target: UplinkTarget, proxy: UplinkProxy?, callsign: String,
    home: HomeOptions, passphrase: Passphrase?, timeoutSeconds: Int64, progress: ProgressLine
  ) async throws -> Membership {
    try await Founding.join(
      invitation: invitation.invitation, by: target, proxy: proxy, callsign: callsign,
      home: home.folders, passphrase: passphrase?.bytes,
      timeoutMilliseconds: timeoutSeconds * 1000, progress: progress.note)
  }

  /// Creates this device's keys, and the contents of a join request file.
  static func requestToJoin(
    callsign: String, home: HomeOptions, passphrase: Passphrase?
  ) throws -> [UInt8] {
    try Founding.request(
      callsign: callsign, home: home.folders, passphrase: passphrase?.bytes)
  }

  /// Enrols this device by the contents of a join grant file, after `requestToJoin`.
  static func join(
    grant: [UInt8], home: HomeOptions, confirm: (Membership) throws -> Void
  ) throws -> Membership {
    try Founding.join(grant: grant, home: home.folders, confirm: confirm) {
      try home.passphrase().bytes
    }
  }

  /// Replaces the token of the loopback listener. The node must not run.
  static func rotateToken(of home: HomeOptions) async throws -> LocalToken {
    let folders = home.folders
    guard folders.exists else { throw NodeError.notEnrolled(folders.path) }
    let lock = try await whileStopped(home) { try HomeLock(folders) }
    return try withExtendedLifetime(lock) { try LocalToken(rotatedIn: folders.runDirectory) }
  }

  /// Replaces the keys of the TLS certificates. The node must not run.
  static func renewCertificates(of home: HomeOptions) async throws -> CertificateClients {
    let opened = try await whileStopped(home) { try Self.opened(home) }
    return try opened.renewCertificates()
  }

  /// Performs a change that only a start of the node reads.
  private static func whileStopped<Result>(
    _ home: HomeOptions, _ change: () async throws -> sending Result
  ) async throws -> sending Result {
    let client = ControlClient(path: try ControlSocketPath(home.folders.socketPath))
    if try await client.isListening() {
      throw Refusal(
        "the node is running: stop it first, with Ctrl-C or sudo systemctl stop muster")
    }
    return try await LockWait.whileInUse(change)
  }

  /// Runs the node with its own socket until SIGINT or SIGTERM.
  static func run(_ settings: RunSettings, home: HomeOptions) async throws {
    let logger = logger(settings.logLevel)
    let socket = try ControlSocketPath(home.folders.socketPath)
    let client = ControlClient(path: socket)
    let opened = try await LockWait.whileInUse(unless: client.isListening) {
      try Self.opened(home)
    }
    let maps = try MapCollection(files: settings.maps, in: MapFolder(in: home.folders.path))
    let transport = try await UDPTransport.bind(
      configuration: UDPConfiguration(
        listen: settings.listen.text, multicast: settings.usesMulticast),
      logger: logger)
    let peers = await endpoints(of: settings.peers, by: transport, logger: logger)
    let post = try settings.serve.map { try PhoneListener($0, of: opened, logger: logger) }
    if let post { note(post.fingerprints, in: home.folders, logger: logger) }
    let uplinks = UplinkSwitch(targets: settings.uplinks)
    let node = Node(opened, transport: transport, uplinks: uplinks, logger: logger)
    let notifier = SystemdNotifier(
      environment: ProcessInfo.processInfo.environment, node: node, logger: logger)
    let webhooks = webhooks(of: home, logger: logger)
    let programs = await programs(settings, home, node, webhooks, maps, logger: logger)
    var services: [any Service] = [
      transport,
      NodeService(
        node: node, transport: transport, peers: peers, linkRate: settings.linkRate,
        certificate: post?.uplinks?.certificate),
      programs,
      WebServer(at: .socket(socket), node: node, programs: programs, logger: logger) { _ in
        logger.info("listening on UDP port \(transport.boundPort)")
        notifier.ready()
      },
      notifier,
    ]
    if settings.inBackground { await node.goToBackground() }
    services += try await sources(settings, node: node, logger: logger)
    if let http = settings.http {
      services.append(
        try webServer(at: http, in: home.folders, node, programs, logger: logger))
    }
    if let webhooks {
      services.append(
        WebhookSender(
          node: node, store: webhooks, devices: programs.devices, proxy: settings.proxy,
          logger: logger, random: { UInt64.random(in: .min ... .max) }))
    }
    if !settings.uplinks.isEmpty {
      services.append(
        UplinkClient(proxy: settings.proxy, uplinks: uplinks, logger: logger) {
          UInt64.random(in: .min ... .max)
        })
    }
    if let post {
      services.append(
        commandPost(at: post, in: home.folders, programs, uplinks, logger: logger))
    }
    try await ProgramServices.run(services, logger: logger)
  }

  /// The listener for the dashboard and programs. It prints its address when it listens.
  private static func webServer(
    at http: HTTPListener, in home: NodeHome, _ node: Node, _ programs: Programs, logger: Logger
  ) throws -> WebServer {
    let opened = try http.opened(in: home.runDirectory)
    return WebServer(
      at: .address(
        host: http.place.host, port: http.place.port, access: opened.access,
        whenTaken: http.whenTaken), node: node, programs: programs, logger: logger
    ) { port in
      let isTerminal = isatty(STDERR_FILENO) == 1
      if let line = opened.announcement(port: port, isTerminal: isTerminal) {
        Standard.complain(line)
      }
    }
  }

  /// The listener for uplinks and phones. It prints its address when it listens.
  private static func commandPost(
    at post: PhoneListener, in home: NodeHome, _ programs: Programs, _ uplinks: UplinkSwitch,
    logger: Logger
  ) -> CommandPostServer {
    CommandPostServer(
      host: post.place.host, port: post.place.port,
      identities: .init(uplinks: post.uplinks, browsers: post.browsers), uplinks: uplinks,
      programs: programs, home: home.path, logger: logger
    ) { port in
      programs.serves(at: post.origin(port: port))
      post.announce(port: port)
    }
  }

  /// Logs the fingerprints of the listener's certificates, and stores them for `login list`, which
  /// needs no node. The listener runs without that file too.
  private static func note(
    _ fingerprints: FingerprintFile.Contents, in home: NodeHome, logger: Logger
  ) {
    for (clients, fingerprint) in fingerprints.labelled {
      logger.info("the certificate for \(clients) has the SHA-256 fingerprint \(fingerprint)")
    }
    do {
      try FingerprintFile(in: home).write(fingerprints)
    } catch {
      logger.warning("the fingerprints of the certificates are not stored: \(error)")
    }
  }

  /// A damaged file of webhooks must not keep a node from running.
  private static func webhooks(of home: HomeOptions, logger: Logger) -> WebhookStore? {
    do {
      return try WebhookStore(in: home.folders.path)
    } catch {
      logger.error("webhooks are off: \(error)")
      return nil
    }
  }

  /// Likewise, a damaged file of trackers for Amazon Location.
  private static func programs(
    _ settings: RunSettings, _ home: HomeOptions, _ node: Node, _ webhooks: WebhookStore?,
    _ maps: MapCollection, logger: Logger
  ) async -> Programs {
    let folder = home.folders.path
    var amazon: AmazonEndpoint?
    do {
      amazon = AmazonEndpoint(
        services: try await AmazonServices(node: node, folder: folder), home: folder,
        allowsUnsigned: settings.isAmazonOpen, logger: logger)
    } catch {
      logger.error("Amazon Location and Cognito Sync are off: \(error)")
    }
    return Programs(
      node: node, maps: maps, webhooks: webhooks, amazon: amazon, home: folder,
      loginTermSeconds: settings.loginTerm.seconds, ownTracksKey: settings.ownTracksKey,
      logger: logger)
  }

  /// The sources of positions and of sightings.
  private static func sources(
    _ settings: RunSettings, node: Node, logger: Logger
  ) async throws -> [any Service] {
    var services: [any Service] = []
    if let location = settings.location {
      await node.listen(to: location.name)
      services.append(
        try await source(location, speed: settings.speed, node: node, logger: logger))
    }
    if let proximity = settings.proximity {
      await node.watchNearby(from: proximity.name, byDatagrams: proximity.isDatagrams)
      services.append(
        LineSource(
          proximity.input, longest: Node.longestNearbyLine, logger: logger,
          random: { UInt64.random(in: .min ... .max) }, deliver: { await node.takeNearby($0) }))
    }
    services.append(BluetoothRadio(node: node, logger: logger))
    return services
  }

  private static func source(
    _ location: LocationChoice, speed: ReplaySpeed, node: Node, logger: Logger
  ) async throws -> any Service {
    let deliver: @Sendable (SourceEvent) async -> Void = { await node.take($0, from: .receiver) }
    let random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    switch location {
    case .gpsd(let gpsd):
      return GpsdSource(
        host: gpsd.host, port: gpsd.port, logger: logger, random: random, deliver: deliver)
    case .nmeaStream(let input):
      return NMEAStreamSource(input, logger: logger, random: random, deliver: deliver)
    case .nmeaDatagrams(let host, let port):
      do {
        return try await NMEADatagramSource.bind(
          host: host, port: port, logger: logger, deliver: deliver)
      } catch {
        throw Refusal("cannot listen for NMEA on UDP port \(port) of \(host): \(error)")
      }
    case .track(let track, _):
      let replay = GPXReplay(track, startingAt: SystemClock.wall, speed: speed)
      return ReplayService(node: node, replay: replay, logger: logger)
    }
  }

  /// An unresolved name, which is usual without internet, must not keep a node from running.
  private static func endpoints(
    of peers: [AddressArgument], by transport: UDPTransport, logger: Logger
  ) async -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for peer in peers {
      do {
        endpoints.append(try await transport.resolve(peer.text))
      } catch {
        logger.warning("skipping --peer \(peer.text): \(error)")
      }
    }
    return endpoints
  }

  private static func opened(_ home: HomeOptions) throws -> sending OpenedHome {
    try opened(home.folders, keysOf: home)
  }

  private static func opened(
    _ folders: NodeHome, keysOf home: HomeOptions
  ) throws -> sending OpenedHome {
    try OpenedHome(folders) { try home.passphrase().bytes }
  }

  /// Logs go to standard error.
  private static func logger(_ level: Logger.Level) -> Logger {
    var logger = Logger(label: "muster") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = level
    return logger
  }
}
