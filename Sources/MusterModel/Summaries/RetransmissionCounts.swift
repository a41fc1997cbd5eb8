/// Datagrams that were sent again although they had arrived.
public struct RetransmissionCounts: Codable, Hashable, Sendable {
  /// After a datagram of the peer, which may have had the acknowledgement, was lost.
  public var afterLoss: UInt64
  /// While no datagram of the peer was lost: a timeout was too short.
  public var withoutLoss: UInt64

  /// Creates counts.
  public init(afterLoss: UInt64 = 0, withoutLoss: UInt64 = 0) {
    self.afterLoss = afterLoss
    self.withoutLoss = withoutLoss
  }
}
