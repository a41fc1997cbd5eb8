/// The time that a phone states for a sample, by its own clock.
public enum DeviceTime: Hashable, Sendable {
  /// As stated; the clock may be wrong.
  case stated(Timestamp)
  /// The message states no time: the sample is of the moment in which it was sent.
  case missing
  /// The stated time cannot be read, or the app repeats an earlier sample: its time is unknown.
  case unknown
}

/// How old a sample is when it arrives, as far as its evidence shows. An age is never younger than
/// the evidence.
public enum SampleAge: Hashable, Sendable {
  /// At least so many milliseconds; 0 or more.
  case atLeast(milliseconds: Int64)
  /// Nothing shows when the sample was made.
  case unknown
}
