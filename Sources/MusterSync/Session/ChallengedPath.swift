internal import MusterModel

/// An address that a session's peer may have moved to, and what it was asked to say from there
/// (RFC 9000 §8.2).
struct ChallengedPath: Sendable {
  let endpoint: Endpoint
  let token: UInt64
  let at: Instant
}
