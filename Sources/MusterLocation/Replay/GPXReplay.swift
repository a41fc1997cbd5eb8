public import MusterModel

/// Replays a track in real time or faster, as a source of fixes.
public struct GPXReplay: Sendable {
  /// The fixes and when they are delivered.
  public let schedule: ReplaySchedule

  /// Creates a replay. `start` is the time of the first point of a track without times.
  public init(_ track: GPXTrack, startingAt start: Timestamp, speed: ReplaySpeed) {
    schedule = ReplaySchedule(track.fixes(startingAt: start), speed: speed)
  }

  /// Delivers each fix when it is due, in order, and returns after the last. A slow delivery delays
  /// those after it, and none is skipped. Ends early with what `deliver` throws, or with
  /// `CancellationError` if the task is cancelled.
  public func run(deliver: @Sendable (Fix) async throws -> Void) async throws {
    try await run(on: ContinuousClock(), deliver: deliver)
  }

  func run<C: Clock>(
    on clock: C, deliver: @Sendable (Fix) async throws -> Void
  ) async throws where C.Duration == Duration {
    let start = clock.now
    for entry in schedule.entries {
      try Task.checkCancellation()
      let due = start.advanced(by: .milliseconds(entry.offsetMilliseconds))
      if clock.now < due { try await clock.sleep(until: due, tolerance: nil) }
      try await deliver(entry.fix)
    }
  }
}
