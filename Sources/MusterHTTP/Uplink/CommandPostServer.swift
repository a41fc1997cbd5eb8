internal import Hummingbird
internal import HummingbirdTLS
public import Logging
public import MusterTransport
internal import NIOCore
public import ServiceLifecycle

/// The HTTPS listener of a command post, with the certificate that the operation's control log
/// names.
public struct CommandPostServer: Service {
  private static let mostConnections = 512
  /// Longer than the interval at which a connected node sends.
  private static let idle = TimeAmount.seconds(60)
  private static let headerBytes = 8 * 1024

  private let host: String
  private let port: Int
  private let identity: UplinkIdentity
  private let uplinks: UplinkSwitch
  private let other: UplinkResponder.Other
  private let upkeep: @Sendable () async -> Void
  private let logger: Logger

  /// Serves uplinks, logins, and programs that sign requests for Amazon Location.
  ///
  /// - Parameters:
  ///   - programs: MUST be run by the same service group.
  ///   - home: the node's folder, with the logins and the audit log.
  public init(
    host: String, port: Int, identity: UplinkIdentity, uplinks: UplinkSwitch, programs: Programs,
    home: String, logger: Logger
  ) {
    let endpoint = LoginEndpoint(
      router: programs.router, dashboard: programs.dashboard, logins: LoginFile(in: home),
      audit: programs.amazon?.audit ?? AuditLog(in: home, logger: logger), now: { .now })
    self.init(
      host: host, port: port, identity: identity, uplinks: uplinks, logger: logger,
      upkeep: endpoint.keepAudit
    ) { request, context in
      if let amazon = programs.amazon, AmazonEndpoint.owns(request) {
        return await amazon.respond(to: request, from: context.client, isProgramHere: false)
      }
      return await endpoint.respond(
        to: request, from: context.client, connection: Connection(channel: context.channel))
    }
  }

  /// - Parameters:
  ///   - upkeep: runs as long as the server, and returns when it is cancelled.
  ///   - other: answers all requests except uplinks.
  init(
    host: String, port: Int, identity: UplinkIdentity, uplinks: UplinkSwitch, logger: Logger,
    upkeep: @escaping @Sendable () async -> Void = {},
    other: @escaping UplinkResponder.Other
  ) {
    self.host = host
    self.port = port
    self.identity = identity
    self.uplinks = uplinks
    self.logger = logger
    self.other = other
    self.upkeep = upkeep
  }

  /// Returns after a graceful shutdown; throws if the address is in use.
  public func run() async throws {
    var quiet = logger
    quiet.logLevel = .critical
    let (host, logger, uplinks) = (host, logger, uplinks)
    let application = Application(
      responder: UplinkResponder(uplinks: uplinks, other: other),
      server: try .tls(
        .http1(
          configuration: .init(
            additionalChannelHandlers: [ConnectionLifetime()], idleTimeout: Self.idle,
            httpDecoderConfiguration: .init(
              maxHeaderFieldSize: Self.headerBytes, maxHeaderListSize: Self.headerBytes,
              maxHeaderFieldCount: 64))),
        tlsConfiguration: try identity.serverConfiguration()),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)),
      onServerRunning: { channel in
        let bound = channel.localAddress?.port ?? port
        uplinks.serves(at: host.contains(":") ? "[\(host)]:\(bound)" : "\(host):\(bound)")
        logger.info("a command post on https://\(host):\(bound)")
      }, logger: quiet)
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
}
