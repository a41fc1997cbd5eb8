internal import Foundation
internal import Logging
internal import MusterNode
internal import ServiceLifecycle

/// Tells systemd how the node stands, as sd_notify(3) does: ready, alive, stopping. Nothing where
/// nobody asked to be told.
///
/// It says that the node is alive only while the node answers: one whose queue stands still is
/// started again.
struct SystemdNotifier: Service {
  private let socket: NotifySocket?
  /// How often systemd wants to hear of it at least; nil for never.
  private let watchdog: Duration?
  private let node: Node
  private let logger: Logger

  /// - Parameter environment: of which `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` count.
  init(environment: [String: String], node: Node, logger: Logger) {
    socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket(address: $0) }
    watchdog = Self.watchdog(environment, process: getpid())
    self.node = node
    self.logger = logger
  }

  /// What systemd asks for of this very process.
  static func watchdog(_ environment: [String: String], process: Int32) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
      microseconds > 0
    else { return nil }
    if let asked = environment["WATCHDOG_PID"], Int32(asked) != process { return nil }
    return .microseconds(microseconds)
  }

  /// To be called once commands can reach the node.
  func ready() { tell("READY=1\nSTATUS=Keeping in step with whoever is in reach.") }

  /// Returns after a graceful shutdown.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      guard let watchdog, socket != nil else { return }
      while true {
        // The answer is the sign of life.
        if case .changes = await node.perform(.changes) { tell("WATCHDOG=1") }
        do { try await Task.sleep(for: watchdog / 2) } catch { return }
      }
    }
    try await gracefulShutdown()
    tell("STOPPING=1")
  }

  private func tell(_ words: String) {
    guard let socket else { return }
    if let reason = socket.send(words) { logger.warning("systemd cannot be told: \(reason)") }
  }
}
