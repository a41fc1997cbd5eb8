public import Logging
public import MusterAmazon
public import MusterNode
public import ServiceLifecycle

/// The API of a node, which all its listeners share.
public struct Programs: Service {
  let router: APIRouter
  let dashboard = Dashboard(
    directory: Dashboard.installed, leaflet: Dashboard.leaflet, maplibre: Dashboard.maplibre)
  /// Nil without services of Amazon.
  let amazon: AmazonEndpoint?
  private let live: SubscriptionBroker

  /// MUST be run, or no subscriber receives notices.
  ///
  /// - Parameters:
  ///   - maps: the base maps and overlays.
  ///   - webhooks: nil if they are disabled by an error.
  ///   - amazon: nil if it is disabled by an error.
  public init(
    node: Node, maps: MapCollection = MapCollection(), webhooks: WebhookStore? = nil,
    amazon: AmazonEndpoint? = nil, logger: Logger
  ) {
    self.amazon = amazon
    live = SubscriptionBroker(node: node, devices: amazon?.devices, logger: logger)
    router = APIRouter(api: API(node: node, maps: maps, webhooks: webhooks, live: live))
  }

  /// The devices that programs registered by Cognito Sync; nil if that is disabled by an error.
  public var devices: SyncDevices? { live.devices }

  /// Notifies subscribers until a graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown { await live.run() }
    // The node may have stopped first: a service that returns would end its group.
    try await gracefulShutdown()
  }
}
