/// The due time of an order or a check-in, by the observer's clock: a duration from the time at
/// which its first write was made.
///
/// It is `overdue` from the earliest possible time, and `unaccounted` from the latest plus grace.
public struct Deadline: Hashable, Sendable {
  /// By the observer's boot clock.
  public let time: Span

  /// One week, as for other durations: longer ones are mistakes, and rejected on write.
  public static let longest: Int64 = 7 * 86_400_000

  /// Creates a deadline. Clamps the duration to 0 … `longest`.
  public init(made: Span, durationMilliseconds: Int64) {
    let duration = min(max(durationMilliseconds, 0), Self.longest)
    time = Span(earliest: made.earliest + duration, latest: made.latest + duration)
  }

  private init(time: Span) { self.time = time }

  /// Returns the deadline that ends first, of an order's concurrent ones; nil if there are none.
  public static func first(of deadlines: some Sequence<Deadline>) -> Deadline? {
    deadlines.reduce(nil) { first, next in
      Deadline(time: first.map { $0.time.earlier(next.time) } ?? next.time)
    }
  }

  /// Returns the milliseconds left; negative once it has passed.
  public func remaining(at now: Int64) -> Span {
    Span(earliest: time.earliest - now, latest: time.latest - now)
  }

  /// Whether it may have passed.
  public func mayHavePassed(at now: Int64) -> Bool { now >= time.earliest }

  /// Whether it has passed, and `grace` milliseconds more.
  public func hasPassed(at now: Int64, grace: Int64) -> Bool { now >= time.latest + grace }
}
