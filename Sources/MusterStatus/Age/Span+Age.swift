extension Span {
  /// Represents an unknown lower bound: 140,000 years ago.
  public static let longAgo: Int64 = -(1 << 52)

  /// Returns the interval of a time not after `latest`, without a known lower bound.
  public static func notAfter(_ latest: Int64) -> Span {
    Span(earliest: min(longAgo, latest), latest: latest)
  }

  /// Whether a lower bound is known.
  public var hasEarliest: Bool { earliest > Self.longAgo }

  /// Returns the later of two uncertain times.
  public func later(_ other: Span) -> Span {
    Span(earliest: max(earliest, other.earliest), latest: max(latest, other.latest))
  }

  /// Returns the earlier of two uncertain times.
  public func earlier(_ other: Span) -> Span {
    Span(earliest: min(earliest, other.earliest), latest: min(latest, other.latest))
  }

  /// Returns the age of this time; the upper bound exceeds `1 << 51` if it is unknown.
  public func age(at now: Int64) -> Span {
    Span(earliest: max(now - latest, 0), latest: max(now - earliest, 0))
  }

  /// Clamps an estimate to the interval. A wall clock may affect what is displayed, never what is
  /// possible.
  public func guess(wallClockEstimate: Int64) -> Int64 {
    min(max(wallClockEstimate, earliest), latest)
  }
}
