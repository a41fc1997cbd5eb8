internal import Foundation
internal import Logging
internal import MusterNode
internal import ServiceLifecycle

/// Notifies systemd of the state of the node, as sd_notify(3) does: ready, alive, stopping. Does
/// nothing without `NOTIFY_SOCKET`.
///
/// It reports the node as alive only while the node replies: systemd restarts a node with a stuck
/// queue.
struct SystemdNotifier: Service {
  private let socket: NotifySocket?
  /// The watchdog interval of systemd; nil for none.
  private let watchdog: Duration?
  private let node: Node
  private let logger: Logger

  /// - Parameter environment: uses `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
  init(environment: [String: String], node: Node, logger: Logger) {
    socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket(address: $0) }
    watchdog = Self.watchdog(environment, process: getpid())
    self.node = node
    self.logger = logger
  }

  /// The interval that systemd set for this process.
  static func watchdog(_ environment: [String: String], process: Int32) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text),
      microseconds > 0
    else { return nil }
    if let asked = environment["WATCHDOG_PID"], Int32(asked) != process { return nil }
    return .microseconds(microseconds)
  }

  /// Call it once commands can reach the node.
  func ready() { send("READY=1\nSTATUS=Synchronizing with peers in reach.") }

  /// Returns after a graceful shutdown.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      guard let watchdog, socket != nil else { return }
      while true {
        // The reply shows that the node is alive.
        if case .changes = await node.perform(.changes) { send("WATCHDOG=1") }
        do { try await Task.sleep(for: watchdog / 2) } catch { return }
      }
    }
    try await gracefulShutdown()
    send("STOPPING=1")
  }

  private func send(_ words: String) {
    guard let socket else { return }
    if let reason = socket.send(words) { logger.warning("cannot notify systemd: \(reason)") }
  }
}
