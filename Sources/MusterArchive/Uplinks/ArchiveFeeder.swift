internal import Logging
internal import ServiceLifecycle

/// Keeps some nodes of this process and the archive equal, on one connection and one thread.
///
/// While the database cannot be reached, the nodes synchronize with laptops as before. An operation
/// with much to archive, or with a fault of its own, delays the others by a part of a second.
struct ArchiveFeeder: Service {
  let url: String
  let nodes: [ArchivedNode]
  let executor: BlockingExecutor
  let logger: Logger

  private static let interval = Duration.seconds(1)
  private static let longestPause = 32
  /// The longest wait for other programs that store frames of one operation.
  private static let lockPatience = Duration.seconds(1)

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
    var passes: [ArchivePass?] = nodes.map { _ in nil }
    var (failures, complained) = (0, "")
    let clock = ContinuousClock()
    while !Task.isCancelled {
      var due = clock.now + Self.interval
      do {
        let opened = try archive ?? Archive(at: url, lockPatience: Self.lockPatience)
        archive = opened
        for index in nodes.indices
        where try await nodes[index].synchronize(with: opened, continuing: &passes[index]) {
          due = clock.now
        }
        if failures > 0 { logger.notice("archiving again") }
        (failures, complained) = (0, "")
      } catch {
        archive = nil
        passes = nodes.map { _ in nil }
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
