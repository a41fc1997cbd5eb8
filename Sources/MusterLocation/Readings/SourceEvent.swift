/// What a location source tells the node.
public enum SourceEvent: Hashable, Sendable {
  /// One piece of what it says.
  case reading(Reading)
  /// How it stands from now on.
  case state(SourceState)
}

/// How a location source stands. The texts are shown by `status`.
public enum SourceState: String, Hashable, Sendable, CaseIterable {
  /// Not heard since the start, or since it went.
  case waiting = "waiting"
  /// There, whether it knows where it is or not.
  case connected = "connected"
  /// gpsd runs, and no receiver is plugged in.
  case unplugged = "no receiver is plugged in"
  /// There, and saying nothing.
  case silent = "silent"
  /// At the end of its file, or of its input.
  case ended = "at its end"
}
