internal import Logging
internal import ServiceLifecycle

/// Keeps some nodes of this process and the archive equal, on one connection and one thread.
///
/// While the database cannot be reached, the nodes synchronize with laptops as before.
struct ArchiveFeeder: Service {
  let url: String
  let nodes: [ArchivedNode]
  let executor: BlockingExecutor
  let logger: Logger

  private static let interval = Duration.seconds(1)
  private static let longestPause = 32

  /// Runs until graceful shutdown.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskExecutorPreference(executor) { await feed() }
    }
    try await gracefulShutdown()
  }

  private func feed() async {
    var nodes = nodes
    var archive: Archive?
    var (failures, complained) = (0, "")
    let clock = ContinuousClock()
    while !Task.isCancelled {
      var due = clock.now + Self.interval
      do {
        let opened = try archive ?? Archive(at: url)
        archive = opened
        for index in nodes.indices { try await nodes[index].synchronize(with: opened) }
        if failures > 0 { logger.notice("archiving again") }
        (failures, complained) = (0, "")
      } catch {
        archive = nil
        failures += 1
        due = clock.now + .seconds(min(Self.longestPause, 1 << min(failures, 5)))
        if complained != "\(error)" { logger.warning("\(error); trying again") }
        complained = "\(error)"
      }
      do {
        try await clock.sleep(until: due)
      } catch {
        return
      }
    }
  }
}
