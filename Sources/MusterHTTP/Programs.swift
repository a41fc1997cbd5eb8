public import Logging
public import MusterAmazon
public import MusterNode
public import ServiceLifecycle

/// The API of a node, which all its listeners share.
public struct Programs: Service {
  let router: APIRouter
  let dashboard = Dashboard(directory: Dashboard.installed, leaflet: Dashboard.leaflet)
  /// Nil without services of Amazon.
  let amazon: AmazonEndpoint?
  private let live: SubscriptionBroker

  /// MUST be run, or no subscriber receives notices.
  ///
  /// - Parameters:
  ///   - map: the base map; nil for a graticule only.
  ///   - webhooks: nil if they are disabled by an error.
  ///   - amazon: nil if it is disabled by an error.
  public init(
    node: Node, map: BaseMap? = nil, webhooks: WebhookStore? = nil,
    amazon: AmazonEndpoint? = nil, logger: Logger
  ) {
    self.amazon = amazon
    live = SubscriptionBroker(node: node, devices: amazon?.devices, logger: logger)
    router = APIRouter(api: API(node: node, map: map, webhooks: webhooks, live: live))
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
