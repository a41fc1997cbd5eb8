internal import Dispatch

/// Runs an actor on its own queue: SQLite and D-Bus block, and must not block shared threads.
public final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  /// Creates an executor with a queue of its own.
  public init(label: String) { queue = DispatchQueue(label: label) }

  /// Schedules a job.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Traps on another queue.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
