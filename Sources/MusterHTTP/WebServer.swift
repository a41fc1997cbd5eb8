internal import Hummingbird
public import Logging
public import MusterNode
internal import NIOCore
public import ServiceLifecycle

/// Serves one address over HTTP: the API, the dashboard that is made of it, and phones that say
/// where they are.
///
/// On a loopback address both are open to whoever is on this machine and is no foreign web page;
/// elsewhere only phones are heard, who have to know a token. Bodies, headers, connections and the
/// time of a connection are bounded.
public struct WebServer: Service {
  private static let mostConnections = 1_280
  private static let idle = TimeAmount.seconds(15)
  private static let headerBytes = 8 * 1024

  private let host: String
  private let port: Int
  private let responder: WebResponder
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// - Parameters:
  ///   - port: 0 for one that the system chooses.
  ///   - token: what phones have to know; MUST be there where others than this machine can reach
  ///     the address, which are then not served the API.
  ///   - programs: MUST be run by the same service group.
  ///   - onListening: told the port once clients can connect.
  public init(
    host: String, port: Int, token: String?, node: Node, programs: Programs, logger: Logger,
    onListening: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.host = host
    self.port = port
    responder = WebResponder(
      rule: AccessRule(token: token), phones: TrackerResponder(node: node),
      router: programs.router,
      dashboard: Dashboard(directory: Dashboard.installed, leaflet: Dashboard.leaflet))
    self.logger = logger
    self.onListening = onListening
  }

  /// Returns after a graceful shutdown; throws where the address is taken.
  public func run() async throws {
    var quiet = logger
    quiet.logLevel = .warning
    let (host, logger, onListening) = (host, logger, onListening)
    let application = Application(
      responder: responder,
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [ConnectionLifetime()], idleTimeout: Self.idle,
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: Self.headerBytes, maxHeaderListSize: Self.headerBytes,
            maxHeaderFieldCount: 64))),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        logger.info("listening for programs and phones on http://\(host):\(port)")
        onListening(port)
      }, logger: quiet)
    try await application.run()
  }
}

/// A request with its connection.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let connection: Connection

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    connection = Connection(channel: source.channel)
  }
}

/// Decides who may ask, and who is to answer.
struct WebResponder: HTTPResponder {
  typealias Context = WebContext

  let rule: AccessRule
  let phones: TrackerResponder
  let router: APIRouter
  let dashboard: Dashboard

  func respond(to request: Request, context: Context) async throws -> Response {
    let headers = AccessRule.Headers(
      host: request.head.authority, authorization: request.headers[.authorization],
      origin: request.headers[.origin], fetchSite: request.value(of: "sec-fetch-site"))
    let isPage = rule.isLocal && Dashboard.owns(request)
    guard APIRouter.owns(request.uri.path) || isPage else {
      return try await phones.respond(to: request, as: rule.judge(path: request.uri.path, headers))
    }
    guard rule.servesPrograms(headers) else {
      let reason =
        "programs are served on a loopback address, by its own name, and no page of another site"
      return Problem(.forbidden, reason).answer.response
    }
    if isPage { return dashboard.answer(request) }
    return await router.answer(request, connection: context.connection).response
  }
}
