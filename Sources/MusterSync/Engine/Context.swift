internal import MusterCrypto
internal import MusterModel

/// What the parts of the engine share: this device, its clock and randomness, the tables of peers,
/// sessions and logs, and what the current input causes (effects, queued messages, deadlines).
///
/// A part gets it as an `inout` argument. State that one part alone needs is private to that part.
struct Context: Sendable {
  let local: LocalDevice
  var clock: EngineClock
  var random: DeterministicRandom
  var roster: Roster
  var logs = LogIndex()
  var peers = PeerDirectory()
  var sessions: [UInt32: Session] = [:]
  var bounds = BoundTracker()
  var activity = AuthorActivity()
  var outbox = Outbox()
  var deadlines = DeadlineQueue()
  /// The effects of the current input, in order.
  var effects: [Effect] = []

  /// - Parameter seed: 32 bytes that no other run was given.
  init(local: LocalDevice, roster: Roster, seed: [UInt8], now reading: ClockReading) {
    self.local = local
    self.roster = roster
    clock = EngineClock(reading)
    random = DeterministicRandom(seed: seed)
  }

  var now: Instant { clock.now }

  /// Reports that received data was dropped.
  mutating func reject(_ rejection: Rejection, from endpoint: Endpoint) {
    effects.append(.notice(.rejected(rejection, from: endpoint)))
  }

  mutating func reject(_ error: WireError, from endpoint: Endpoint) {
    switch error {
    case .malformed: reject(.malformed, from: endpoint)
    case .overLimit: reject(.overLimit, from: endpoint)
    case .forged: reject(.forged, from: endpoint)
    }
  }

  // MARK: Sending

  /// Sends a sealed datagram as soon as its link admits it. IP fragments are never sent, so a
  /// larger datagram is a programmer's error.
  mutating func transmit(
    _ datagram: [UInt8], to destination: Destination, importance: Outbox.Importance = .control
  ) {
    precondition(datagram.count <= Limits.datagramBytes, "datagram of \(datagram.count) bytes")
    if case .endpoint(let endpoint, let link) = destination, endpoint.isUplink, link != .uplink {
      return transmit(datagram, to: .endpoint(endpoint, .uplink), importance: importance)
    }
    guard outbox.links.opensAt(destination, importance: importance, now: now) == nil else {
      return outbox.links.wait(datagram, to: destination, importance: importance)
    }
    leave(datagram, to: destination)
  }

  /// Sends a packet on a session, outside the send queue of its peer. Ignores an unknown session.
  mutating func transmit(_ packet: Packet, on index: UInt32, to destination: Destination) {
    guard let sealed = sessions[index]?.seal(packet.encoded()) else { return }
    transmit(sealed, to: destination)
  }

  /// Sends a sealed datagram that its link admits now.
  mutating func leave(_ datagram: [UInt8], to destination: Destination) {
    outbox.links.take(datagram.count, by: destination, now: now)
    effects.append(.send(datagram, to: destination))
  }
}
