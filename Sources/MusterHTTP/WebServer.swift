internal import Foundation
internal import Hummingbird
public import Logging
public import MusterControl
internal import MusterModel
public import MusterNode
internal import NIOCore
public import ServiceLifecycle
internal import Synchronization

/// Serves one listener over HTTP: the API, the dashboard, tracker reports, and on the node's own
/// socket the command line. Amazon Location is served on loopback addresses.
///
/// On the socket everything is allowed; on a loopback address, clients with the token and no page
/// of another site; on other addresses only trackers with the token. The sizes of bodies and
/// headers, the number of connections and their duration are bounded on every listener.
public struct WebServer: Service {
  /// The address of a listener.
  public enum Place: Hashable, Sendable {
    /// The node's own socket: the file system restricts it to this user.
    case socket(ControlSocketPath)
    /// A port; 0 for one that the system chooses. The access MUST be `phones` if other machines can
    /// reach the host.
    case address(host: String, port: Int, access: AccessRule.Access, whenTaken: WhenTaken = .fail)
  }

  /// The behaviour when the port is in use.
  public enum WhenTaken: Hashable, Sendable {
    case fail
    /// Logs a warning and uses the next free port.
    case useNext
  }

  /// Ports that are tried before the system chooses one.
  private static let mostPorts = 20

  private static let mostConnections = 1_280
  private static let idle = TimeAmount.seconds(15)

  private let place: Place
  private let responder: WebResponder
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// - Parameters:
  ///   - place: for a socket, the home's lock MUST be held.
  ///   - programs: MUST be run by the same service group.
  ///   - onListening: receives the port, or 0, once clients can connect.
  public init(
    at place: Place, node: Node, programs: Programs, logger: Logger,
    onListening: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.init(
      at: place, node: node, performer: node, programs: programs, logger: logger,
      onListening: onListening)
  }

  /// - Parameter performer: performs the commands of the command line.
  init(
    at place: Place, node: Node, performer: any CommandPerformer, programs: Programs,
    logger: Logger, onListening: @escaping @Sendable (Int) -> Void
  ) {
    self.place = place
    var access = AccessRule.Access.trusted
    var commands: CommandEndpoint?
    var amazon: AmazonEndpoint?
    switch place {
    case .socket: commands = CommandEndpoint(performer: performer)
    case .address(_, _, let asked, _): (access, amazon) = (asked, programs.amazon)
    }
    responder = WebResponder(
      rule: AccessRule(access),
      phones: TrackerResponder(node: node, key: programs.router.ownTracksKey),
      router: programs.router, commands: commands, dashboard: programs.dashboard,
      amazon: amazon)
    self.logger = logger
    self.onListening = onListening
  }

  /// Returns after a graceful shutdown; throws if the address is in use, or the socket cannot be
  /// created for this user only. Removes the socket at the end.
  public func run() async throws {
    switch place {
    case .address(let host, let port, _, let whenTaken):
      var ports = [port]
      if whenTaken == .useNext, port > 0 {
        ports += (port + 1..<port + Self.mostPorts).filter { $0 <= UInt16.max } + [0]
      }
      try await serve(host, ports)
    case .socket(let path): try await serve(path)
    }
  }

  /// Serves on the first free port.
  private func serve(_ host: String, _ ports: [Int]) async throws {
    for (index, port) in ports.enumerated() {
      do {
        let (logger, onListening, isLocal) = (logger, onListening, responder.rule.isLocal)
        return try await serve(.hostname(host, port: port)) { channel in
          let port = channel.localAddress?.port ?? 0
          let authority = Endpoint.authority(host, port)
          logger.info(
            isLocal
              ? "listening for programs and phones on http://\(authority)"
              : "listening for phones on http://\(authority), without dashboard and API")
          onListening(port)
        }
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        guard index + 1 < ports.count else { throw error }
        logger.warning("\(Endpoint.authority(host, port)) is in use: trying another port")
      }
    }
  }

  private func serve(_ path: ControlSocketPath) async throws {
    try path.prepare()
    let fault = FirstFault()
    let outcome: Result<Void, any Error>
    do {
      try await serve(.unixDomainSocket(path: path.description)) { [onListening] channel in
        do throws(ControlFault) {
          try path.restrict()
          onListening(0)
        } catch {
          fault.note(error)
          channel.close(promise: nil)
        }
      }
      outcome = .success(())
    } catch let error as IOError {
      outcome = .failure(
        ControlFault.socket(path: path.description, reason: "cannot listen: \(error)"))
    } catch {
      outcome = .failure(error)
    }
    try path.remove()
    if let fault = fault.noted { throw fault }
    try outcome.get()
  }

  private func serve(
    _ address: BindAddress, onRunning: @escaping @Sendable (any Channel) async -> Void
  ) async throws {
    var quiet = logger
    quiet.logLevel = .warning
    let application = Application(
      responder: responder,
      server: .http1(
        configuration: .bounded(idle: Self.idle, inputs: responder.inputs)),
      configuration: ApplicationConfiguration(
        address: address,
        availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)),
      onServerRunning: onRunning, logger: quiet)
    try await application.run()
  }
}

/// The first error that stops a running server.
private final class FirstFault: Sendable {
  private let fault = Mutex<ControlFault?>(nil)

  var noted: ControlFault? { fault.withLock { $0 } }

  func note(_ error: ControlFault) { fault.withLock { $0 = $0 ?? error } }
}

/// A request with its connection.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var connection: Connection

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    connection = Connection(channel: source.channel)
  }
}

/// Authorizes a request and selects its responder.
struct WebResponder: HTTPResponder {
  typealias Context = WebContext

  let rule: AccessRule
  let phones: TrackerResponder
  let router: APIRouter
  /// Only on the node's own socket, else nil.
  let commands: CommandEndpoint?
  let dashboard: Dashboard
  /// Not on the node's own socket.
  let amazon: AmazonEndpoint?
  let inputs = ClosedInputs()

  private var listener: ListenerRoute.Listener {
    guard rule.isLocal else { return .phones }
    return commands == nil ? .loopback : .socket
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    var context = context
    context.connection.inputs = inputs
    let (connection, admitted) = (context.connection, context)
    let response = try await request.answered(on: connection) { request in
      try await answer(request, admitted)
    }.fitting(request)
    connection.renew(after: response)
    return response
  }

  private func answer(_ request: Request, _ context: Context) async throws -> Response {
    let headers = AccessRule.Headers(
      host: request.head.authority, authorization: request.headers[.authorization],
      origin: request.headers[.origin], fetchSite: request.value(of: "sec-fetch-site"),
      cookies: request.headers[values: .cookie])
    let client = context.connection.channel.remoteAddress?.ipAddress ?? ""
    let route = ListenerRoute.find(request, at: listener)
    switch route?.service {
    case .amazon:
      guard let amazon else { break }
      return await amazon.respond(
        to: request, from: client, isProgramHere: rule.isProgramHere(headers))
    case .api, .commands, .link, .page, .files:
      guard let route else { break }
      return await answer(request, by: route, headers, context.connection)
    default: break
    }
    return try await phones.respond(
      to: request, as: rule.judge(path: request.uri.path, headers), from: client)
  }

  /// Answers a request for the page, the API or the command line.
  private func answer(
    _ request: Request, by route: ListenerRoute, _ headers: AccessRule.Headers,
    _ connection: Connection
  ) async -> Response {
    guard rule.isFromHere(headers) else {
      let reason =
        "the API is served on a loopback address by its own name, and not to pages of other sites"
      return Problem(.forbidden, reason).answer.response
    }
    let isAuthorized = rule.judgeProgram(path: request.uri.path, headers) != .unauthorized
    switch route.service {
    case .link:
      guard let link = DashboardLink(request) else { break }
      return link.answer(by: rule, headers, of: dashboard, to: request)
    case .files: return await dashboard.answer(request)
    case .page: return isAuthorized ? await dashboard.answer(request) : dashboard.locked(request)
    case .commands:
      guard let commands, isAuthorized else { break }
      return await commands.answer(request, connection: connection).response
    default:
      return await answer(
        request, connection, isAuthorized: isAuthorized,
        isProgram: rule.isProgramHere(headers))
    }
    return Self.unauthorized
  }

  /// Answers a request for the API.
  private func answer(
    _ request: Request, _ connection: Connection, isAuthorized: Bool, isProgram: Bool
  ) async -> Response {
    let admitted: AdmittedRequest<API>
    do throws(Problem) {
      admitted = try router.find(request).admitted(isAuthorized ? .laptop : .stranger)
    } catch {
      guard isAuthorized else { return Self.unauthorized }
      return error.answer.response
    }
    return await router.answer(
      request, admitted, connection: connection, isProgram: isProgram
    ).response
  }

  private static var unauthorized: Response {
    let reason =
      "the token is missing or wrong: send `Authorization: Bearer TOKEN` with the contents of "
      + "run/http-token in the node's home, or start the node with --trust-local"
    var response = Problem(.unauthorized, reason).answer.response
    response.headers[.wwwAuthenticate] = "Bearer realm=\"muster\""
    return response
  }
}
