/// A value that holds a secret: printing, interpolating, dumping or reflecting it shows nothing,
/// so that no log line and no failing test can leak a key.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
}

extension Redacted {
  /// Never the secret.
  public var description: String { "redacted" }
  /// Never the secret.
  public var debugDescription: String { "redacted" }
  /// Without children, so that `dump` finds nothing to show.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
