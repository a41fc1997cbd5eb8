internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import MusterModel
public import MusterTransport
internal import NIOCore
internal import NIOSSL
public import ServiceLifecycle

/// The HTTPS listener for people with a login and, on a command post, for uplinks.
///
/// Uplinks receive the certificate that the operation's control log names, browsers one with the
/// names of this machine (`CertificateChannel`).
public struct CommandPostServer: Service {
  /// Of these, 512 of logins (`ConnectionShares`), and 256 without an accepted request: the rest
  /// is a reserve for uplinks.
  private static let mostConnections = 1024
  private static let mostRoutedConnections =
    UplinkSwitch.mostRoutedGuests + 2 * UplinkSwitch.mostStrangers + 64
  /// The most connections without an accepted request.
  private static let mostPending = 256
  /// Longer than the interval at which a connected node sends.
  private static let idle = TimeAmount.seconds(60)

  private let host: String
  private let port: Int
  private let identities: Identities
  private let uplinks: UplinkSwitch
  private let other: UplinkResponder.Other
  private let mostConnections: Int
  private let mostPending: Int
  private let inputs: ClosedInputs
  private let upkeep: @Sendable () async -> Void
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// The certificates of a listener. MUST NOT be empty.
  public struct Identities: Sendable {
    let uplinks: UplinkIdentity?
    let browsers: BrowserIdentity?

    /// - Parameters:
    ///   - uplinks: nil on a node that is no command post.
    ///   - browsers: nil if browsers receive the certificate of the uplinks.
    public init(uplinks: UplinkIdentity?, browsers: BrowserIdentity?) {
      precondition(uplinks != nil || browsers != nil, "a listener needs a certificate")
      (self.uplinks, self.browsers) = (uplinks, browsers)
    }
  }

  /// Serves uplinks, logins, and programs that sign requests for Amazon Location.
  ///
  /// - Parameters:
  ///   - programs: MUST be run by the same service group.
  ///   - home: the node's folder, with the logins and the audit log.
  ///   - onListening: receives the port once clients can connect.
  public init(
    host: String, port: Int, identities: Identities, uplinks: UplinkSwitch, programs: Programs,
    home: String, logger: Logger, onListening: @escaping @Sendable (Int) -> Void
  ) {
    let inputs = ClosedInputs()
    let endpoint = LoginEndpoint(
      router: programs.router, dashboard: programs.dashboard, logins: LoginFile(in: home),
      tokens: BrowserTokens(
        in: home, termSeconds: programs.loginTermSeconds, logger: logger),
      audit: programs.amazon?.audit ?? AuditLog(in: home, logger: logger), now: { .now },
      authority: identities.browsers?.authority)
    self.init(
      host: host, port: port, identities: identities, uplinks: uplinks, logger: logger,
      inputs: inputs, upkeep: endpoint.keepAudit, onListening: onListening,
      other: Self.responder(endpoint, programs.amazon, inputs))
  }

  /// Returns what answers all requests except uplinks.
  static func responder(
    _ endpoint: LoginEndpoint, _ amazon: AmazonEndpoint?, _ inputs: ClosedInputs
  ) -> UplinkResponder.Other {
    { request, context in
      let connection = Connection(channel: context.channel, inputs: inputs)
      return try await request.answered(on: connection) { request in
        if let amazon, ListenerRoute.find(request, at: .remote)?.service == .amazon {
          let response = await amazon.respond(
            to: request, from: context.client, isProgramHere: false)
          connection.renew(after: response)
          return response
        }
        return await endpoint.respond(to: request, from: context.client, connection: connection)
      }
    }
  }

  /// Serves uplinks alone, of several nodes.
  ///
  /// - Parameters:
  ///   - identity: the certificate, which each of the nodes MUST publish.
  ///   - uplinks: that of a listener for several nodes.
  ///   - onListening: receives the port once clients can connect.
  public init(
    host: String, port: Int, identity: UplinkIdentity, routing uplinks: UplinkSwitch,
    logger: Logger, onListening: @escaping @Sendable (Int) -> Void
  ) {
    self.init(
      host: host, port: port, identities: Identities(uplinks: identity, browsers: nil),
      uplinks: uplinks, logger: logger, mostConnections: Self.mostRoutedConnections,
      mostPending: UplinkSwitch.mostStrangers, onListening: onListening
    ) { _, _ in Response(status: .notFound) }
  }

  /// - Parameters:
  ///   - inputs: receives the connections whose client sends nothing more.
  ///   - upkeep: runs as long as the server, and returns when it is cancelled.
  ///   - other: answers all requests except uplinks.
  init(
    host: String, port: Int, identities: Identities, uplinks: UplinkSwitch, logger: Logger,
    mostConnections: Int = mostConnections, mostPending: Int = mostPending,
    inputs: ClosedInputs = ClosedInputs(), upkeep: @escaping @Sendable () async -> Void = {},
    onListening: @escaping @Sendable (Int) -> Void = { _ in },
    other: @escaping UplinkResponder.Other
  ) {
    self.host = host
    self.port = port
    self.identities = identities
    self.uplinks = uplinks
    self.logger = logger
    self.other = other
    self.mostConnections = mostConnections
    self.mostPending = mostPending
    self.inputs = inputs
    self.upkeep = upkeep
    self.onListening = onListening
  }

  /// Returns after a graceful shutdown; throws if the address is in use.
  public func run() async throws {
    var quiet = logger
    quiet.logLevel = .critical
    let (host, logger, uplinks, onListening) = (host, logger, uplinks, onListening)
    let isPost = identities.uplinks != nil
    let application = Application(
      responder: UplinkResponder(uplinks: isPost ? uplinks : nil, other: other),
      server: try server(),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(mostConnections, logger: quiet)),
      onServerRunning: { channel in
        let bound = channel.localAddress?.port ?? port
        let authority = Endpoint.authority(host, bound)
        if isPost { uplinks.serves(at: authority) }
        logger.info("\(isPost ? "a command post" : "serving phones") on https://\(authority)")
        onListening(bound)
      }, eventLoopGroupProvider: .shared(RemoteThreads.group), logger: quiet)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: upkeep)
      // The server waits for all connections, and uplinks do not end by themselves.
      try await withGracefulShutdownHandler {
        try await application.run()
      } onGracefulShutdown: {
        uplinks.dismissGuests()
      }
      group.cancelAll()
    }
  }

  private func server() throws -> HTTPServerBuilder {
    let configurations = try [
      identities.browsers?.serverConfiguration(), identities.uplinks?.serverConfiguration(),
    ].compactMap { $0 }
    let contexts = try configurations.map { try NIOSSLContext(configuration: $0) }
    return HTTPServerBuilder { responder in
      let http = HTTP1Channel(
        responder: responder,
        configuration: .bounded(
          idle: Self.idle, pending: PendingConnections(bound: mostPending), inputs: inputs))
      return CertificateChannel(
        base: http, browsers: contexts[0], others: contexts[contexts.count - 1])
    }
  }
}
