internal import AsyncHTTPClient
public import Logging
internal import MusterModel
internal import NIOCore
internal import NIOHTTP1
public import ServiceLifecycle

/// Connects to command posts over HTTPS for as long as the node runs.
///
/// One request to each, with an endless body in both directions: the request carries the engine's
/// datagrams up, the response carries the command post's down. A firewall sees HTTPS, a proxy a
/// `CONNECT`. A broken uplink is retried within a second, with exponential backoff up to half a
/// minute, and at once when the network changes.
public struct UplinkClient: Service {
  /// The URL path of command posts.
  public static let path = "/uplink"
  /// The content type of the bodies.
  public static let mediaType = "application/octet-stream"

  private static let patience = TimeAmount.seconds(10)
  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  private let targets: [UplinkTarget]
  private let proxy: UplinkProxy?
  private let uplinks: UplinkSwitch
  private let random: @Sendable () -> UInt64
  private let logger: Logger

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - uplinks: created for the same targets.
  ///   - random: the source of jitter for retry intervals.
  public init(
    proxy: UplinkProxy?, uplinks: UplinkSwitch, logger: Logger,
    random: @escaping @Sendable () -> UInt64
  ) {
    targets = uplinks.targets
    self.proxy = proxy
    self.uplinks = uplinks
    self.random = random
    self.logger = logger
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        for index in targets.indices { group.addTask { await tend(index) } }
      }
    }
    // A service that returns would end its group.
    if targets.isEmpty { try await gracefulShutdown() }
  }

  private func tend(_ index: Int) async {
    var backoff = Backoff(first: Self.firstPause, longest: Self.longestPause)
    // A failure is logged once, until it changes.
    var logged = ""
    while !Task.isCancelled {
      let pins = uplinks.pins
      guard !pins.isEmpty else {
        uplinks.states.set(
          index, .noCertificate,
          advice: "connect to any device that knows the command post: this one does not "
            + "know the command post's certificate yet")
        await uplinks.untilHastened(index, within: Self.longestPause)
        continue
      }
      uplinks.states.set(index, .connecting)
      var stood = false
      do {
        stood = try await converse(index, pins: pins)
      } catch {
        guard !Task.isCancelled else { return }
        let failure = UplinkFailureText(error, target: targets[index], proxy: proxy)
        uplinks.states.set(index, .down, error: failure.error, advice: failure.advice)
        if failure.error != logged {
          logger.log(
            level: failure.isSuspect ? .warning : .info,
            "uplink \(targets[index]): \(failure.error): \(failure.advice)")
        }
        logged = failure.error
      }
      if stood {
        backoff.reset()
        logged = ""
      }
      let pause = backoff.next(random: random())
      if await uplinks.untilHastened(index, within: pause) { backoff.reset() }
    }
  }

  /// Runs one connection. Returns whether it was established before it ended; throws if it never
  /// was.
  private func converse(_ index: Int, pins: UplinkPins) async throws -> Bool {
    let client = HTTPClient(
      eventLoopGroupProvider: .singleton, configuration: try configuration(index, pins: pins))
    let connection = uplinks.begin(index)
    defer { uplinks.end(connection) }
    do {
      try await converse(connection, with: targets[index], by: client, pins: pins)
    } catch {
      try await client.shutdown()
      guard connection.isProven, !(error is CancellationError) else { throw error }
      let failure = UplinkFailureText(error, target: targets[index], proxy: proxy)
      uplinks.states.set(index, .down, error: failure.error, advice: failure.advice)
      logger.info("uplink \(targets[index]) broke: \(failure.error)")
    }
    return true
  }

  private func converse(
    _ connection: UplinkConnection, with target: UplinkTarget, by client: HTTPClient,
    pins: UplinkPins
  ) async throws {
    var request = HTTPClientRequest(url: target.description + Self.path)
    request.method = .POST
    request.headers = ["content-type": Self.mediaType, "connection": "close"]
    request.body = .stream(connection.chunks, length: .unknown)
    let response = try await client.execute(request, timeout: Self.patience)
    guard response.status == .ok,
      response.headers.first(name: "content-type") == Self.mediaType
    else { throw UplinkFault.status(response.status.code) }
    try await uplinks.follow(connection, incoming: response.body, while: pins)
  }

  private func configuration(
    _ index: Int, pins: UplinkPins
  ) throws -> HTTPClient.Configuration {
    let target = targets[index]
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try pins.clientConfiguration(),
      redirectConfiguration: .disallow,
      timeout: .init(connect: Self.patience, read: .seconds(UplinkConnection.silenceSeconds)),
      proxy: proxy.flatMap { $0.isFor(target.host) ? $0.configuration : nil },
      ignoreUncleanSSLShutdown: true, decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    return configuration
  }
}
