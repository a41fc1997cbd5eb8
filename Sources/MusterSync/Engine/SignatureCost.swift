// The order of checks of a datagram is size, link, the peer's rate limit, signature: signature
// checks alone could otherwise occupy a core.

/// Limits invalid signatures to fifty per second after a burst: a third of a percent of a core.
enum SignatureCost {
  static let milliseconds: Int64 = 20
  static let burst: Int64 = 256
}

/// Limits incoming handshakes to fifty per second after a burst.
enum InitiationCost {
  static let milliseconds: Int64 = 20
  static let burst: Int64 = 128
}
