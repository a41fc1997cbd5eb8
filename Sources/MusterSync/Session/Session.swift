internal import MusterCrypto
internal import MusterModel

/// An authenticated session with one device. It ends with the process, so counters never repeat.
struct Session: Sendable {
  /// The index by which the peer addresses this side.
  let localIndex: UInt32
  let remoteIndex: UInt32
  let peer: Peer
  /// The validated address of the peer.
  var endpoint: Endpoint
  /// Another address, from which the peer may be sending now.
  var challenged: ChallengedPath?
  /// The link of the peer's last datagram.
  var link = LinkID.unknown
  let establishedAt: Instant
  private(set) var lastReceived: Instant
  private var finish: Finish?
  private var cipher: SessionCipher
  /// The received datagrams and the acknowledgements due for them.
  var received = ReceivedCounters()
  /// Tracks whether all received runs are stored.
  var runs = SharedRuns()

  enum Peer: Hashable, Sendable {
    case device(DeviceID)
    /// A client that holds an invite's secret and has no certificate yet.
    case joiner(InviteID, JoinRequest)
  }

  /// The last message of the handshake.
  private enum Finish: Sendable {
    case sent(UnconfirmedFinish)
    case received(Bytes16)
  }

  struct UnconfirmedFinish: Sendable {
    var datagram: [UInt8]
    var nextAttempt: Instant
    var attempts: Int
  }

  init(
    localIndex: UInt32, remoteIndex: UInt32, peer: Peer, endpoint: Endpoint, now: Instant,
    keys: (send: SessionKey, receive: SessionKey), unconfirmedFinish: UnconfirmedFinish? = nil,
    finishHash: Bytes16? = nil
  ) {
    self.localIndex = localIndex
    self.remoteIndex = remoteIndex
    self.peer = peer
    self.endpoint = endpoint
    establishedAt = now
    lastReceived = now
    cipher = SessionCipher(send: keys.send, receive: keys.receive)
    finish = unconfirmedFinish.map(Finish.sent) ?? finishHash.map(Finish.received)
  }

  /// The initiator's finish, retransmitted until the responder's first datagram confirms it.
  var unconfirmedFinish: UnconfirmedFinish? {
    guard case .sent(let unconfirmed) = finish else { return nil }
    return unconfirmed
  }

  /// The hash of the finish that created the responder's side, to detect retransmissions.
  var finishHash: Bytes16? {
    guard case .received(let hash) = finish else { return nil }
    return hash
  }

  /// Records that the initiator's finish was sent again.
  mutating func noteRepeated(_ unconfirmed: UnconfirmedFinish) { finish = .sent(unconfirmed) }

  /// Records a datagram of the peer, which confirms the initiator's finish.
  mutating func noteReceived(at now: Instant) {
    lastReceived = now
    if case .sent = finish { finish = nil }
  }

  var isOfJoiner: Bool { if case .joiner = peer { true } else { false } }

  /// The counter of the next datagram.
  var sendCounter: UInt64 { cipher.sendCounter }

  /// An order of two sessions between the same devices that is the same on both sides.
  var sharedOrder: (UInt32, UInt32) {
    (min(localIndex, remoteIndex), max(localIndex, remoteIndex))
  }

  /// When the session ends after a silence of this many milliseconds, or its finish is due.
  ///
  /// - Parameter announced: when the peer last announced itself.
  func deadline(announced: Instant? = nil, silence: Int64) -> Instant {
    let latest = max(lastReceived, announced ?? lastReceived)
    let end = latest.advanced(byMilliseconds: silence)
    return min(end, unconfirmedFinish?.nextAttempt ?? end)
  }

  mutating func seal(_ packet: [UInt8]) -> [UInt8] {
    precondition(packet.count <= largestPacketBytes, "packet of \(packet.count) bytes")
    var writer = ByteWriter()
    writer.append(DatagramKind.transport.rawValue)
    writer.append(remoteIndex)
    writer.append(UInt32(truncatingIfNeeded: sendCounter))
    writer.append(fixed: cipher.seal(packet))
    return writer.bytes
  }

  /// Decrypts a datagram. Returns its packet and its full counter, of which it carries the last 32
  /// bits. Nil if it does not authenticate or is a replay.
  mutating func open(
    counter low: UInt32, _ ciphertext: ArraySlice<UInt8>
  ) -> (packet: [UInt8], counter: UInt64)? {
    cipher.open(counter: low, ciphertext)
  }
}
