internal import MusterModel

/// Path validation and migration.
///
/// An on-path attacker can capture a datagram that never arrived and send it from another address:
/// it is authentic and new. Following it would redirect the session. Datagrams therefore go to the
/// old address until the peer returns a challenge from the new one (RFC 9000 §9.3).
extension Connector {
  /// Handles the source address of every datagram of a session.
  mutating func follow(
    _ device: DeviceID, to arrival: Arrival, on index: UInt32, response: UInt64?,
    context: inout Context
  ) {
    let endpoint = arrival.endpoint
    guard let session = context.sessions[index] else { return }
    if session.endpoint != endpoint {
      guard let challenged = session.challenged, challenged.endpoint == endpoint,
        challenged.token == response
      else { return }
      context.sessions[index]?.endpoint = endpoint
      context.sessions[index]?.challenged = nil
      context.outbox.sendQueues[device]?.changePath(of: index)
      context.outbox.touch(device)
      book.prove(endpoint, of: device)
      if endpoint.isUplink { context.effects.append(.notice(.uplinkProven(endpoint, device))) }
    }
    context.sessions[index]?.link = arrival.link
    context.peers[known: device].presence.endpoint = endpoint
    context.recordActivity(device)
  }

  mutating func challenge(_ arrival: Arrival, on index: UInt32, context: inout Context) {
    if let last = context.sessions[index]?.challenged,
      context.now.milliseconds(since: last.at) < Timing.challengeMilliseconds
    {
      return
    }
    // 0 is encoded as absent.
    let token = context.random.uint64() | 1
    context.sessions[index]?.challenged = ChallengedPath(
      endpoint: arrival.endpoint, token: token, at: context.clock.now)
    var packet = Packet()
    packet.challenge = token
    context.transmit(packet, on: index, to: .endpoint(arrival.endpoint, arrival.link))
  }

  mutating func respond(
    to token: UInt64, at arrival: Arrival, on index: UInt32, context: inout Context
  ) {
    var packet = Packet()
    packet.response = token
    context.transmit(packet, on: index, to: .endpoint(arrival.endpoint, arrival.link))
  }
}
