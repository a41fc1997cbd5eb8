public import MusterModel

/// The age of a record without a stamp: of an older program, or with a stamp out of range.
public struct UnstampedAge: Hashable, Sendable {
  /// The upper bound decides `noContact`.
  public let milliseconds: Span
  /// Whether the author's wall clock and the arrival differ by more than
  /// `ClockLead.suspectSeconds`: a clock is wrong, or the record was delayed. Shown as the reason
  /// "clock differs".
  public let clockDiffers: Bool

  /// Takes the largest of the time since the first arrival, the observer's wall clock minus
  /// `reportedAt`, and 0.
  public init(sinceArrival: Int64, wall: Timestamp, reportedAt: Timestamp) {
    let arrived = max(sinceArrival, 0)
    let claimed = wall.milliseconds(since: reportedAt)
    milliseconds = Span(earliest: arrived, latest: max(arrived, claimed))
    let (difference, overflow) = claimed.subtractingReportingOverflow(arrived)
    clockDiffers = overflow || difference.magnitude > ClockLead.suspectSeconds * 1000
  }
}
