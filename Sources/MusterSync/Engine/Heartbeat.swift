internal import MusterCrypto
internal import MusterModel

/// When a peer is sent roots next, and whether it answers.
struct Heartbeat: Sendable {
  var liveness = Liveness.responsive
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
    case .responsive: next
    case .asked(let probe), .silent(let probe): min(next, probe.next)
    }
  }

  /// Requires an answer, so that the first probe is due at a time.
  mutating func startProbing(at next: Instant) { liveness = .asked(Liveness.Probe(next: next)) }

  /// Counts a probe that is due, and schedules the next.
  ///
  /// - Parameters:
  ///   - tries: the expected number of transmissions until a message arrives.
  ///   - patienceMilliseconds: how much longer answers take on a narrow link.
  /// - Returns: the probe; nil if none is due.
  mutating func takeDueProbe(
    now: Instant, tries: Int64, patienceMilliseconds patience: Int64
  ) -> DueProbe? {
    let isSilent: Bool
    var probe: Liveness.Probe
    switch liveness {
    case .responsive: return nil
    case .asked(let asked): (isSilent, probe) = (false, asked)
    case .silent(let silent): (isSilent, probe) = (true, silent)
    }
    guard probe.next <= now else { return nil }
    probe.attempts += 1
    let waits = Timing.probeMilliseconds
    let isLost = probe.attempts >= waits.count
    if isLost {
      let doublings = Int64(min(probe.attempts - waits.count, 3))
      let wait =
        min(Timing.probeLastMilliseconds, waits[0] << doublings) + patience << doublings
      probe.next = now.advanced(byMilliseconds: wait)
      liveness = .silent(probe)
    } else {
      probe.next = now.advanced(
        byMilliseconds: Self.probeWait(probe.attempts, tries: tries, patience: patience))
      liveness = .asked(probe)
    }
    return DueProbe(
      isRepeated: probe.attempts > 1, isFirstOfSilence: isLost && !isSilent)
  }

  /// Returns how long an answer may take, in milliseconds.
  static func probeWait(_ attempt: Int, tries: Int64, patience: Int64) -> Int64 {
    Timing.probeMilliseconds[attempt] * tries + patience
  }

  /// A probe to be sent now.
  struct DueProbe {
    let isRepeated: Bool
    /// Whether the probes before it are lost, which was not known until now.
    let isFirstOfSilence: Bool
  }

  /// Schedules the next heartbeat after one, at twice the interval.
  ///
  /// - Parameter longest: the longest interval in milliseconds.
  mutating func scheduleNext(
    within longest: Int64, patienceMilliseconds patience: Int64, now: Instant,
    random: inout DeterministicRandom
  ) {
    milliseconds = min(milliseconds * 2 + patience, longest)
    // Up to 25 % earlier at random, so that peers do not send simultaneously.
    let jitter = Int64(random.uniform(below: UInt64(milliseconds / 4)))
    next = now.advanced(byMilliseconds: milliseconds - jitter)
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
  case responsive
  /// A message that requires an answer was sent, and none has been received yet.
  case asked(Probe)
  /// Several probes were not answered: other paths are tried.
  case silent(Probe)

  struct Probe: Sendable {
    var next: Instant
    var attempts = 0
  }
}
