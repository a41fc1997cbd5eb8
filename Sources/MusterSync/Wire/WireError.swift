/// The reason why received or imported bytes are invalid. For a datagram, the engine reports a
/// rejection with the source address.
public enum WireError: Error, Hashable, Sendable {
  /// An unknown message, or a field of the wrong length.
  case malformed(String)
  /// A count or size that exceeds `Limits`.
  case overLimit(String)
  /// A hash or signature that is not valid.
  case forged(String)

  /// A short description of the error.
  public var reason: String {
    switch self {
    case .malformed(let reason), .overLimit(let reason), .forged(let reason): reason
    }
  }
}
