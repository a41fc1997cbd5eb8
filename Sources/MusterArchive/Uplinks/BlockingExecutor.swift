internal import Dispatch

/// Runs tasks that block on a thread of their own: a database that hangs must not take the threads
/// on which uplinks are served.
final class BlockingExecutor: TaskExecutor {
  private let queue: DispatchQueue

  /// - Parameter label: the name of the queue in a debugger.
  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
