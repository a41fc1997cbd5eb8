/// How long the engine waits for what.
enum Timing {
  /// Announces by multicast: RFC 6206's I_min and I_max.
  static let announceFirstMilliseconds: Int64 = 1000
  static let announceLastMilliseconds: Int64 = 64_000
  /// Roots are compared on every session this often: soon after something changed, then less.
  static let heartbeatFirstMilliseconds: Int64 = 500
  static let heartbeatLastMilliseconds: Int64 = 8000
  /// A session on which nothing came for so long is dead.
  static let silenceMilliseconds: Int64 = 30_000
  static let handshakeMilliseconds: Int64 = 5000
  static let finishFirstMilliseconds: Int64 = 250
  static let finishAttempts = 6
  /// A known address without a session is tried again after this, doubling.
  static let contactFirstMilliseconds: Int64 = 1000
  static let contactLastMilliseconds: Int64 = 10_000
  /// An address that was only heard is tried so often.
  static let heardContactAttempts = 3
  /// A pull without progress for so long is asked for again.
  static let pullMilliseconds: Int64 = 1000
  static let pullAttempts = 6
  /// Each time it waits twice as long, so often; longer would lose more than it spares.
  static let pullDoublings = 2
  /// Digests are answered to one peer at most this often when only roots differ.
  static let digestMilliseconds: Int64 = 200
}
