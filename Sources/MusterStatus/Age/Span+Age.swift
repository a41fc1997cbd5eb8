extension Span {
  /// The lower bound of a moment of which no lower bound is known: 140,000 years ago.
  public static let longAgo: Int64 = -(1 << 52)

  /// A moment before `latest`, of which no more is known.
  public static func notAfter(_ latest: Int64) -> Span {
    Span(earliest: min(longAgo, latest), latest: latest)
  }

  /// Whether a lower bound of this moment is known.
  public var hasEarliest: Bool { earliest > Self.longAgo }

  /// The later of two moments.
  public func later(_ other: Span) -> Span {
    Span(earliest: max(earliest, other.earliest), latest: max(latest, other.latest))
  }

  /// The earlier of two moments.
  public func earlier(_ other: Span) -> Span {
    Span(earliest: min(earliest, other.earliest), latest: min(latest, other.latest))
  }

  /// How long ago this moment was; the upper bound exceeds `1 << 51` where it is not known.
  public func age(at now: Int64) -> Span {
    Span(earliest: max(now - latest, 0), latest: max(now - earliest, 0))
  }

  /// Places an estimate inside the interval. A wall clock may decide what is displayed, never what
  /// is possible.
  public func guess(wallClockEstimate: Int64) -> Int64 {
    min(max(wallClockEstimate, earliest), latest)
  }
}
