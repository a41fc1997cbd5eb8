public import Logging
public import MusterNode
public import ServiceLifecycle

/// Scans and advertises by BlueZ while the user has switched the proximity log on.
///
/// ```
///   Node ── plan ──▶ BluezRadio ── D-Bus ──▶ bluetoothd
///        ◀─ report ─
/// ```
///
/// Without D-Bus, bluetoothd or an adapter, the node runs as before, and this service tries again.
public struct BluetoothRadio: Service {
  private let node: Node
  private let address: String?
  private let logger: Logger
  private static let whileOff = Duration.seconds(1)
  private static let afterProblem = Duration.seconds(10)

  /// Creates the radio of a node, at the system bus.
  public init(node: Node, logger: Logger) { self.init(node: node, address: nil, logger: logger) }

  init(node: Node, address: String?, logger: Logger) {
    self.node = node
    self.address = address
    self.logger = logger
  }

  /// Runs until graceful shutdown.
  public func run() async {
    await cancelWhenGracefulShutdown {
      do {
        try await serve()
      } catch {
        // It ends only by cancellation.
      }
    }
  }

  private func serve() async throws {
    let radio = BluezRadio(address)
    var known = ""
    while true {
      try Task.checkCancellation()
      guard let plan = await node.radioPlan() else {
        await radio.close()
        try await Task.sleep(for: Self.whileOff)
        continue
      }
      let report = await radio.step(plan)
      await node.take(report)
      let state = report.problem.isEmpty ? report.adapter : report.problem
      if state != known { logger.info("Bluetooth: \(state)") }
      known = state
      if report.adapter.isEmpty { try await Task.sleep(for: Self.afterProblem) }
    }
  }

  /// Returns the adapter that a node would use. Changes nothing.
  public static func adapter() async throws(BluetoothProblem) -> String {
    try await BluezRadio().probe()
  }
}

/// The session with bluetoothd, on a queue of its own: libdbus blocks.
actor BluezRadio {
  private let executor = QueueExecutor(label: "muster.bluetooth")
  private let address: String?
  private var session: BluezSession?
  private static let stepMilliseconds = 1000

  /// - Parameter address: that of a bus; nil for the system bus.
  init(_ address: String? = nil) { self.address = address }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Scans and advertises for a second.
  func step(_ plan: RadioPlan) -> RadioReport {
    do throws(BluetoothProblem) {
      let session = try opened()
      try session.scan()
      try session.advertise(plan)
      let received = try session.receive(for: Self.stepMilliseconds)
      return RadioReport(
        scanning: session.scanning, advertising: session.advertising, adapter: session.adapter,
        problem: Self.line(session.advertisingProblem), received: received)
    } catch {
      session = nil
      return RadioReport(
        scanning: .off, advertising: .off, adapter: "", problem: Self.line(error), received: [])
    }
  }

  private func opened() throws(BluetoothProblem) -> BluezSession {
    if let session { return session }
    let fresh = try BluezSession(address)
    session = fresh
    return fresh
  }

  /// Stops scanning and advertising.
  func close() { session = nil }

  func probe() throws(BluetoothProblem) -> String { try BluezSession(address).adapter }

  private static func line(_ problem: BluetoothProblem?) -> String {
    problem.map { "\($0.text): \($0.advice)" } ?? ""
  }
}
