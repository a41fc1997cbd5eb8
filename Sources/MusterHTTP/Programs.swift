public import Logging
public import MusterNode
public import ServiceLifecycle

/// What programs are served, wherever they come in: one for a node, which its listeners share.
public struct Programs: Service {
  let router: APIRouter
  let dashboard = Dashboard(directory: Dashboard.installed, leaflet: Dashboard.leaflet)
  private let live: LiveDesk

  /// MUST be run, or nobody who follows is told of anything.
  ///
  /// - Parameters:
  ///   - map: what the dashboard's map lies on; nil for a graticule alone.
  ///   - webhooks: nil where they are out of order.
  public init(
    node: Node, map: BaseMap? = nil, webhooks: WebhookBook? = nil, logger: Logger
  ) {
    let api = API(node: node, map: map, webhooks: webhooks, logger: logger)
    router = APIRouter(api: api)
    live = api.live
  }

  /// Tells those who follow, until a graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown { await live.run() }
    // The node may have stopped first: a service that returns would end its group.
    try await gracefulShutdown()
  }
}
