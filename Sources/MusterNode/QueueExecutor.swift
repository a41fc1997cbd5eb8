internal import Dispatch

/// Runs an actor on its own queue: work that blocks, such as that of a database, must not block
/// shared threads.
public final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  /// - Parameter label: the name of the queue in a debugger.
  public init(label: String) { queue = DispatchQueue(label: label) }

  /// Queues a job of the actor.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Traps unless it is called on the queue.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
