/// An event of a location source.
public enum SourceEvent: Hashable, Sendable {
  /// One parsed unit of input.
  case reading(Reading)
  /// A change of the source's state.
  case state(SourceState)
}

/// The state of a location source. The texts appear in `status`.
public enum SourceState: String, Hashable, Sendable, CaseIterable {
  /// Nothing received since startup, or since it disappeared.
  case waiting = "waiting"
  /// Connected, with or without a fix.
  case connected = "connected"
  /// gpsd runs, and no receiver is plugged in.
  case unplugged = "no receiver is plugged in"
  /// Connected, and sending nothing.
  case silent = "silent"
  /// At the end of its file or input.
  case ended = "at its end"
}
