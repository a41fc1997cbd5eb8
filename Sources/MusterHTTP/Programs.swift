public import Logging
public import MusterNode
public import ServiceLifecycle

/// What programs are served, wherever they come in: one for a node, which its listeners share.
public struct Programs: Service {
  let router: APIRouter
  private let live: LiveDesk

  /// MUST be run, or nobody who follows is told of anything.
  public init(node: Node, logger: Logger) {
    let api = API(node: node, logger: logger)
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
