/// A value that holds a secret: printing, interpolating, dumping or reflecting it shows nothing,
/// so that no log line and no failing test can leak a key.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
}

extension Redacted {
  public var description: String { "redacted" }
  public var debugDescription: String { "redacted" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
