public import MusterModel

/// Replays a track in real time or faster, as a source of fixes like a receiver.
public struct GPXReplay: Sendable {
  /// What is delivered when.
  public let schedule: ReplaySchedule

  /// `start` is the time of the first point of a track that has no times.
  public init(_ track: GPXTrack, startingAt start: Timestamp, speed: ReplaySpeed) {
    schedule = ReplaySchedule(track.fixes(startingAt: start), speed: speed)
  }

  /// Delivers each fix when it is due, one by one in order, and returns after the last. A delivery
  /// that takes long delays those after it, and none is left out. Ends early with what `deliver`
  /// throws, or with `CancellationError` when the task is cancelled.
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
