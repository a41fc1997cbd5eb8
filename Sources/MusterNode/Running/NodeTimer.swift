internal import Dispatch
internal import MusterModel

/// The timer of a running node, armed for its earliest deadline.
struct NodeTimer {
  /// Nil while the node is not running.
  private var timer: (any DispatchSourceTimer)?
  private var armed: Instant?

  private static let longestMicroseconds: Int64 = 3_600_000_000

  var isRunning: Bool { timer != nil }

  /// - Parameter fire: called on the queue, at each armed deadline.
  mutating func start(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler(handler: fire)
    timer.activate()
    self.timer = timer
  }

  mutating func stop() {
    timer?.cancel()
    timer = nil
  }

  /// Records that it fired: it is armed for no deadline.
  mutating func fired() { armed = nil }

  /// Arms it for the earliest of these deadlines.
  mutating func arm(for deadlines: [Instant]) {
    guard let timer, let deadline = deadlines.min(), deadline != armed else { return }
    armed = deadline
    let wait = max(0, deadline.microseconds - SystemClock.instant.microseconds)
    timer.schedule(deadline: .now() + .microseconds(Int(min(wait, Self.longestMicroseconds))))
  }
}
