internal import MusterModel

/// When a peer is sent roots next, and whether it answers.
struct Heartbeat: Sendable {
  var liveness = Liveness.heard
  var next: Instant
  var milliseconds = Timing.heartbeatFirstMilliseconds
  /// When a probe of it was last answered.
  var lastAnswer: Instant?
  /// Limits how often it may shorten the intervals of heartbeats and announces.
  var resets: RateLimiter

  init(now: Instant) {
    next = now.advanced(byMilliseconds: Timing.heartbeatFirstMilliseconds)
    resets = RateLimiter(saving: Self.resetMilliseconds * 8, now: now)
  }

  static let resetMilliseconds: Int64 = 15_000

  /// When a heartbeat or a probe is due, while there is a session.
  var deadline: Instant {
    switch liveness {
    case .heard: next
    case .asked(let probe), .silent(let probe): min(next, probe.next)
    }
  }

  /// Schedules frequent root comparisons at the start of a session; they become rarer afterwards.
  mutating func quicken(now: Instant) {
    next = max(next, now)
    beat(after: Timing.heartbeatFirstMilliseconds, now: now)
  }

  /// Schedules an early root comparison because something differed.
  mutating func recheck(now: Instant) { beat(after: Timing.recheckMilliseconds, now: now) }

  private mutating func beat(after milliseconds: Int64, now: Instant) {
    self.milliseconds = milliseconds
    next = min(next, now.advanced(byMilliseconds: milliseconds))
  }
}

/// Whether a peer is known to receive what is sent to it.
enum Liveness: Sendable {
  case heard
  /// A message that requires an answer was sent, and none has been received yet.
  case asked(Probe)
  /// Several probes were not answered: other paths are tried.
  case silent(Probe)

  struct Probe: Sendable {
    var next: Instant
    var attempts = 0
  }
}
