internal import MusterModel

/// An address to which a session's peer may have moved, and the challenge sent there (RFC 9000
/// §8.2).
struct ChallengedPath: Sendable {
  let endpoint: Endpoint
  let token: UInt64
  let at: Instant
}
