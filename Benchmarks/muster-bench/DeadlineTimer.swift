import MusterModel
import MusterNode

/// The timer of a device of a load test: wakes it at its next deadline, or earlier. A deadline that
/// moves away costs nothing.
struct DeadlineTimer {
  private var task: Task<Void, Never>?
  private var armedFor: Instant?

  mutating func arm(for due: Instant?, _ wake: @escaping @Sendable () async -> Void) {
    guard let due, due < armedFor ?? Instant(microseconds: .max) else { return }
    armedFor = due
    task?.cancel()
    let wait = max(0, due.milliseconds(since: SystemClock.instant))
    task = Task {
      do { try await Task.sleep(for: .milliseconds(wait)) } catch { return }
      await wake()
    }
  }

  /// MUST be called when it has woken the device, before it is armed again.
  mutating func pass() { armedFor = nil }
}
