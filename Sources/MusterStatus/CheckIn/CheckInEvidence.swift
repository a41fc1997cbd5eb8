public import MusterModel

/// The live reports of one timer: the input that determines when the person must check in.
///
/// A report states the seconds from itself to the next due time, and supersedes those that its
/// author held. Of concurrent reports the one with the latest due time counts: a check-in that is
/// held here never leads to an alarm. The timer has ended only if every live report ends it.
public struct CheckInEvidence: Hashable, Sendable {
  /// The start of the timer, or a report.
  public struct Report: Hashable, Sendable {
    /// The time at which it was made, by the observer's boot clock.
    public let made: Span
    /// Seconds to the next due time; 0 for none.
    public let nextSeconds: UInt32

    /// Creates a report with its time.
    public init(made: Span, nextSeconds: UInt32) {
      self.made = made
      self.nextSeconds = nextSeconds
    }
  }

  /// The start of the timer.
  public let start: Report
  /// The live reports; empty before the first.
  public let reports: [Report]

  /// Creates the evidence of one timer.
  public init(start: Report, reports: [Report]) {
    self.start = start
    self.reports = reports
  }

  /// The interval in which the next check-in is due; nil if nothing more is due.
  ///
  /// Its latest end is at most the receipt of the report plus the stated duration.
  public var due: Span? {
    #if Canary
      if Canary.firstCheckInCounts.isPlanted {
        let due = reports.filter { $0.nextSeconds > 0 }.map {
          Deadline(made: $0.made, durationMilliseconds: Int64($0.nextSeconds) * 1000)
        }
        if let first = Deadline.first(of: due) { return first.time }
      }
    #endif
    let counting = reports.isEmpty ? [start] : reports.filter { $0.nextSeconds > 0 }
    return counting.reduce(nil) { latest, report in
      let deadline = Deadline(
        made: report.made, durationMilliseconds: Int64(report.nextSeconds) * 1000)
      return latest.map { $0.later(deadline.time) } ?? deadline.time
    }
  }
}

extension TimerEvidence {
  /// Returns the state of the timer at a time of the observer's boot clock.
  public func state(at now: Int64) -> CheckInState {
    if isSatisfied { return .done }
    return max(regularState(at: now), stillState(at: now))
  }

  /// The state without regard to movement.
  private func regularState(at now: Int64) -> CheckInState {
    if now >= due.latest + graceMilliseconds { return .unaccounted }
    if now >= due.latest { return .overdue }
    if now >= due.earliest { return .due }
    return now >= due.earliest - reminderMilliseconds ? .reminder : .running
  }

  /// The state that follows from a lack of movement: the person is asked, and has the grace period
  /// to answer.
  private func stillState(at now: Int64) -> CheckInState {
    guard let stillDue else { return .running }
    if now >= stillDue + graceMilliseconds { return .unaccounted }
    if now >= stillDue { return .overdue }
    return now >= stillDue - graceMilliseconds ? .reminder : .running
  }

  /// Returns whether the state follows from a lack of movement.
  func isStill(at now: Int64) -> Bool {
    !isSatisfied && stillState(at: now) > regularState(at: now)
  }

  /// The due time with regard to movement.
  var effectiveDue: Span {
    guard let stillDue, stillDue < due.latest else { return due }
    return Span(earliest: min(due.earliest, stillDue), latest: stillDue)
  }

  /// Returns the timer with regard to movement.
  ///
  /// - Parameter lastMovement: the latest time at which the person may have moved; nil while they
  ///   move.
  func regarding(lastMovement: Int64?) -> TimerEvidence {
    guard stillMilliseconds > 0, let lastMovement else { return self }
    var timer = self
    timer.stillDue = max(lastMovement, answered) + stillMilliseconds + graceMilliseconds
    return timer
  }

  /// The times at which the state changes, in order; empty for a timer that has ended.
  public var changes: [Int64] {
    guard !isSatisfied else { return [] }
    let regular = [
      due.earliest - reminderMilliseconds, due.earliest, due.latest,
      due.latest + graceMilliseconds,
    ]
    guard let stillDue else { return regular }
    return
      (regular + [stillDue - graceMilliseconds, stillDue, stillDue + graceMilliseconds]).sorted()
  }
}
