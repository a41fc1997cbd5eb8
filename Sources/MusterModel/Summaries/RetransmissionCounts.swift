/// What was sent again although it had arrived.
public struct RetransmissionCounts: Codable, Hashable, Sendable {
  /// Datagrams sent again after a datagram of the peer, which may have had the acknowledgement, was
  /// lost.
  public var afterLoss: UInt64
  /// Datagrams sent again while no datagram of the peer was lost: a timeout was too short.
  public var withoutLoss: UInt64
  /// Parts of photos that arrived here again.
  public var receivedParts: UInt64

  /// Creates counts.
  public init(afterLoss: UInt64 = 0, withoutLoss: UInt64 = 0, receivedParts: UInt64 = 0) {
    self.afterLoss = afterLoss
    self.withoutLoss = withoutLoss
    self.receivedParts = receivedParts
  }
}
