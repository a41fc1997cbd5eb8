internal import Dispatch

/// Runs the handler of one read on a thread of its own. What builds and encodes a long answer must
/// not take the shared threads: every other request continues on them, also a call for help.
///
/// The queue is serial, since the workers of concurrent queues are those shared threads.
final class ReadExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "muster.read")

  /// Performs the work there, and returns to the caller's threads.
  static func perform<Result: Sendable>(
    _ work: () async throws -> Result
  ) async throws -> Result {
    let executor = ReadExecutor()
    defer { withExtendedLifetime(executor) {} }
    return try await withTaskExecutorPreference(executor) { try await work() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
