/// Why bytes from outside were not what they claimed to be. Each costs its sender a counter.
public enum WireError: Error, Hashable, Sendable {
  /// Not a message of ours, or a field of the wrong length.
  case malformed(String)
  /// More of something than `Limits` allows.
  case overLimit(String)
  /// A hash or a signature that does not hold.
  case forged(String)

  /// What is wrong, in a few words.
  public var reason: String {
    switch self {
    case .malformed(let reason), .overLimit(let reason), .forged(let reason): reason
    }
  }
}
