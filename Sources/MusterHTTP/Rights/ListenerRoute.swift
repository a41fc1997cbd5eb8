internal import Hummingbird
internal import MusterControl
internal import MusterTransport

/// What a listener serves: the API, whose routes have rights of their own, and everything beside
/// it. A listener passes no request on that is not in this table.
struct ListenerRoute: Sendable {
  /// A listener of the node.
  enum Listener: String, CaseIterable, Sendable {
    /// The node's own socket.
    case socket
    /// A loopback address.
    case loopback
    /// Another address without TLS, for tracker apps.
    case phones
    /// The listener with TLS.
    case remote
  }

  /// What answers a request.
  enum Service: Sendable {
    case api, page, files, link, join, phoneReports, logIn, session, tracker, commands, amazon
    case uplink
  }

  let service: Service
  /// The requests, for documents.
  let requests: String
  let listeners: Set<Listener>
  /// Nil for the API: each of its routes has its own.
  let rights: RouteRights?
  private let matches: @Sendable (Request) -> Bool

  private static let here: Set<Listener> = [.socket, .loopback]

  /// In the order in which they are tried.
  static let all: [ListenerRoute] = [
    ListenerRoute(
      service: .uplink, requests: "POST /uplink by a node", listeners: [.remote],
      rights: .only(.stream, [.node], bytes: .max)
    ) { $0.uri.path == UplinkClient.path },
    ListenerRoute(
      service: .amazon, requests: "the operations of Amazon's services",
      listeners: [.loopback, .remote],
      rights: .only(.write, [.accessKey, .laptop], bytes: RequestLimits.bodyBytes)
    ) { AmazonEndpoint.owns($0) },
    ListenerRoute(
      service: .link, requests: "GET /?token=…", listeners: here, rights: .only(.read, [.stranger])
    ) { DashboardLink($0) != nil },
    ListenerRoute(
      service: .page, requests: "GET /", listeners: here, rights: .only(.read, [.laptop])
    ) { Dashboard.owns($0) && $0.uri.path == "/" },
    ListenerRoute(
      service: .files, requests: "GET /, GET /dashboard/…", listeners: here.union([.remote]),
      rights: .only(.read, [.stranger])
    ) { Dashboard.owns($0) },
    ListenerRoute(
      service: .join, requests: "GET /join, GET /join/authority.crt", listeners: [.remote],
      rights: .only(.read, [.stranger])
    ) { JoinPage.isServed($0) },
    ListenerRoute(
      service: .phoneReports,
      requests: "GET, POST /phone/SECRET/, POST /phone/SECRET/owntracks", listeners: [.remote],
      rights: .only(.urgent, [.phone], bytes: RequestLimits.phoneBytes, as: .own)
    ) { $0.uri.path.hasPrefix(PhoneReports.path) },
    ListenerRoute(
      service: .logIn, requests: "POST /api/v1/session", listeners: [.remote],
      rights: .only(.write, [.stranger], bytes: LoginSessions.bodyBytes)
    ) { $0.uri.path == LoginEndpoint.path && $0.method == .post },
    ListenerRoute(
      service: .session, requests: "GET, DELETE /api/v1/session", listeners: [.remote],
      rights: .only(.read, RouteRights.logins + [.helpOnly, .removed], as: .own)
    ) { $0.uri.path == LoginEndpoint.path },
    ListenerRoute(
      service: .commands, requests: "POST \(CommandExchange.path)", listeners: [.socket],
      rights: .only(.write, [.laptop], bytes: ControlLimits.requestBytes)
    ) { $0.uri.path == CommandExchange.path },
    ListenerRoute(
      service: .api, requests: "the API", listeners: Set(Listener.allCases), rights: nil
    ) { APIRouter.owns($0.uri.path) },
    ListenerRoute(
      service: .tracker, requests: "GET, POST /TOKEN/, POST /TOKEN/owntracks",
      listeners: here.union([.phones]),
      rights: .only(.urgent, [.phone, .laptop], bytes: RequestLimits.phoneBytes)
    ) { _ in true },
  ]

  /// Returns what answers a request at a listener; nil for what it does not serve.
  static func find(_ request: Request, at listener: Listener) -> ListenerRoute? {
    all.first { $0.listeners.contains(listener) && $0.matches(request) }
  }

  /// Whether it needs no login and no token of this machine.
  var isOpen: Bool { rights?.extents.keys.contains { [.stranger, .phone].contains($0) } ?? false }
}
