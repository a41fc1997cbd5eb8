internal import MusterModel

/// Whose turn it is on a narrow link. A device leaves it to the command post while that fetches
/// thumbnails: the ten copies that ten devices need take minutes, and the command post decides upon
/// its one.
///
///     listed, or stored by a command device ─▶ waits 45 s ─▶ fetches
///
/// The wait is extended while the command post makes progress, to two minutes in four at most. So a
/// command post that cannot reach the holder delays nothing for long.
struct ThumbnailTurn: Sendable {
  private var began: Instant?
  /// When the wait ends; in the past while there is none.
  private(set) var until: Instant?

  private static let stepMilliseconds: Int64 = 45_000
  private static let mostMilliseconds: Int64 = 120_000

  func isWaiting(now: Instant) -> Bool { until.map { now < $0 } ?? false }

  /// Begins to wait, or extends the wait.
  mutating func wait(now: Instant) {
    if !isWaiting(now: now) {
      if let began, let until, until == began.advanced(byMilliseconds: Self.mostMilliseconds),
        now < began.advanced(byMilliseconds: 2 * Self.mostMilliseconds)
      {
        return
      }
      began = now
    }
    guard let began else { return }
    until = min(
      now.advanced(byMilliseconds: Self.stepMilliseconds),
      began.advanced(byMilliseconds: Self.mostMilliseconds))
  }
}
