internal import MusterModel

/// Path validation and migration.
///
/// An on-path attacker can capture a datagram that never arrived and send it from another address:
/// it is authentic and new. Following it would redirect the session. Datagrams therefore go to the
/// old address until the peer returns a challenge from the new one (RFC 9000 §9.3).
extension SyncEngine {
  /// Handles the source address of every datagram of a session.
  mutating func follow(
    _ device: DeviceID, to arrival: Arrival, on index: UInt32, response: UInt64?
  ) {
    let endpoint = arrival.endpoint
    guard let session = sessions[index] else { return }
    if session.endpoint != endpoint {
      guard let challenged = session.challenged, challenged.endpoint == endpoint,
        challenged.token == response
      else { return }
      sessions[index]?.endpoint = endpoint
      sessions[index]?.challenged = nil
      outbox.flows[device]?.changePath(of: index)
      outbox.touch(device)
      contacts.prove(endpoint, of: device)
      if endpoint.isUplink { effects.append(.notice(.uplinkProven(endpoint))) }
    }
    sessions[index]?.link = arrival.link
    peers[device]?.endpoint = endpoint
    noteHeard(device)
  }

  mutating func challenge(_ arrival: Arrival, on index: UInt32) {
    if let last = sessions[index]?.challenged,
      now.milliseconds(since: last.at) < Timing.challengeMilliseconds
    {
      return
    }
    // 0 is encoded as absent.
    let token = random.uint64() | 1
    sessions[index]?.challenged = ChallengedPath(
      endpoint: arrival.endpoint, token: token, at: clock.now)
    var packet = Packet()
    packet.challenge = token
    say(packet, at: arrival, on: index)
  }

  mutating func respond(to token: UInt64, at arrival: Arrival, on index: UInt32) {
    var packet = Packet()
    packet.response = token
    say(packet, at: arrival, on: index)
  }

  private mutating func say(_ packet: Packet, at arrival: Arrival, on index: UInt32) {
    guard let sealed = sessions[index]?.seal(packet.encoded()) else { return }
    transmit(sealed, to: .endpoint(arrival.endpoint, arrival.link))
  }
}
