internal import MusterCrypto
internal import MusterModel

/// The authenticated state of one link to one device: two keys, a counter and a replay window.
/// It dies with the process, so counters never repeat.
struct Session: Sendable {
  /// How this side is named by the other in what it sends.
  let localIndex: UInt32
  let remoteIndex: UInt32
  let peer: Peer
  /// Where the peer has shown to be: what it is sent goes there.
  var endpoint: Endpoint
  /// Another address, from which it may be sending now.
  var challenged: ChallengedPath?
  /// By which that datagram came in.
  var link = LinkID.unknown
  let establishedAt: Instant
  var lastReceived: Instant
  /// What the initiator repeats until the responder's first datagram shows that it arrived.
  var unconfirmedFinish: UnconfirmedFinish?

  /// Of the message that made the responder's side of it, to know its repetitions by.
  let finishHash: Bytes16?

  private let sendKey: SessionKey
  private let receiveKey: SessionKey
  /// The next datagram's.
  private(set) var sendCounter: UInt64 = 0
  /// What its peer is to be told that came.
  var received = ReceivedCounters()
  /// Whether all that came in runs is held.
  var runs = SharedRuns()
  private var window = ReplayWindow()

  enum Peer: Hashable, Sendable {
    case device(DeviceID)
    /// Somebody who holds an invite's secret and is not certified yet.
    case joiner(InviteID, JoinRequest)
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
    sendKey = keys.send
    receiveKey = keys.receive
    self.unconfirmedFinish = unconfirmedFinish
    self.finishHash = finishHash
  }

  /// Of two sessions of the same two devices both sides find the same one less.
  var sharedOrder: (UInt32, UInt32) {
    (min(localIndex, remoteIndex), max(localIndex, remoteIndex))
  }

  mutating func seal(_ packet: [UInt8]) -> [UInt8] {
    precondition(packet.count <= packetBytes, "packet of \(packet.count) bytes")
    var writer = ByteWriter()
    writer.append(DatagramKind.transport.rawValue)
    writer.append(remoteIndex)
    writer.append(UInt32(truncatingIfNeeded: sendCounter))
    writer.append(fixed: sendKey.seal(packet, counter: sendCounter, additionalData: []))
    sendCounter += 1
    return writer.bytes
  }

  /// What a datagram says, and its whole counter, of which it carries the last 32 bits. Nil for
  /// what this session's peer did not send, or sent before.
  mutating func open(
    counter low: UInt32, _ ciphertext: ArraySlice<UInt8>
  ) -> (packet: [UInt8], counter: UInt64)? {
    let counter = window.counter(endingIn: low)
    guard let packet = receiveKey.open(ciphertext, counter: counter, additionalData: []),
      window.accept(counter)
    else { return nil }
    return (packet, counter)
  }
}
