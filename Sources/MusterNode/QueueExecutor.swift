internal import Dispatch

/// Runs an actor on its own queue: the replica blocks on SQLite, and must not block shared threads.
final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
