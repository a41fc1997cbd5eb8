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
  /// How long a browser has all rights of its login after the passphrase.
  let loginTermSeconds: Int64
  private let live: SubscriptionBroker
  private let logger: Logger

  /// 30 days.
  public static let defaultLoginTermSeconds: Int64 = 30 * 86_400

  /// MUST be run, or no subscriber receives notices.
  ///
  /// - Parameters:
  ///   - maps: the base maps and overlays.
  ///   - webhooks: nil if they are disabled by an error.
  ///   - amazon: nil if it is disabled by an error.
  ///   - home: the node's folder, with the logins; nil without logins.
  ///   - loginTermSeconds: how long a browser has all rights of its login after the passphrase.
  ///   - ownTracksKey: with which phones encrypt messages of OwnTracks; nil without.
  public init(
    node: Node, maps: MapCollection = MapCollection(), webhooks: WebhookStore? = nil,
    amazon: AmazonEndpoint? = nil, home: String? = nil,
    loginTermSeconds: Int64 = defaultLoginTermSeconds, ownTracksKey: OwnTracksKey? = nil,
    logger: Logger
  ) {
    self.amazon = amazon
    self.logger = logger
    self.loginTermSeconds = loginTermSeconds
    let logins = home.map { LoginLinks(file: LoginFile(in: $0), termSeconds: loginTermSeconds) }
    live = SubscriptionBroker(
      node: node, devices: amazon?.devices, logins: logins, logger: logger)
    router = APIRouter(
      api: API(node: node, maps: maps, webhooks: webhooks, live: live, logins: logins),
      ownTracksKey: ownTracksKey)
  }

  /// Sets where other machines reach this node, such as `https://10.0.0.5:7443`. MUST be called
  /// when its listener runs: links for new logins begin with it.
  public func serves(at address: String) { router.api.logins?.serves(at: address) }

  /// The devices that programs registered by Cognito Sync; nil if that is disabled by an error.
  public var devices: SyncDevices? { live.devices }

  /// Notifies subscribers until a graceful shutdown.
  public func run() async throws {
    if let logins = router.api.logins {
      let logger = logger
      await router.api.node.followLogins {
        do {
          return try logins.all().map(\.name)
        } catch {
          logger.warning("the logins cannot be read: \(error)")
          return []
        }
      }
    }
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        if let keeper = router.api.grantKeeper {
          group.addTask { [logger] in
            await keeper.run { logger.warning("what removed logins made cannot be ended: \($0)") }
          }
        }
        await live.run()
        group.cancelAll()
      }
    }
    // The node may have stopped first: a service that returns would end its group.
    try await gracefulShutdown()
  }
}
