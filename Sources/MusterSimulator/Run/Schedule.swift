import MusterModel

/// The time of the world, the phase of the run, and the future events.
///
/// Time never decreases. Events of one moment are in the order in which they were scheduled.
struct Schedule<Event> {
  /// From 0; no node's clock shows it.
  private(set) var now = Instant(microseconds: 0)
  /// The start of the story, at the end of the warm-up.
  private(set) var storyStart = Instant(microseconds: 0)
  private(set) var phase = World.Phase.warmUp
  private var queue = EventQueue<Event>()

  mutating func push(_ event: Event, at time: Instant) { queue.push(event, at: time) }

  mutating func push(_ event: Event, afterMilliseconds milliseconds: Int64) {
    queue.push(event, at: now.advanced(byMilliseconds: milliseconds))
  }

  mutating func push(_ event: Event, afterMicroseconds microseconds: Int64) {
    queue.push(event, at: Instant(microseconds: now.microseconds + microseconds))
  }

  /// Removes and returns the next event until a time, at which it happens now; nil, and it is that
  /// time, if there is none.
  mutating func next(until end: Instant) -> Event? {
    guard let next = queue.nextTime, next <= end, let (time, event) = queue.pop() else {
      now = max(now, end)
      return nil
    }
    now = max(now, time)
    return event
  }

  mutating func begin(_ phase: World.Phase) {
    self.phase = phase
    if phase == .story { storyStart = now }
  }
}
