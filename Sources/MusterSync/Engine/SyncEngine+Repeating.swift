internal import MusterModel

/// Retransmission of handshake messages, byte for byte. On a path with 90 % loss each message is
/// sent a dozen times before it arrives.
///
///     initiation ─▶ while its device was received recently; otherwise with the next attempt
///     response   ─▶ to an address that was authenticated; otherwise up to three times the bytes
///                   received from it (anti-amplification, RFC 9000 §8.1)
///     finish     ─▶ until anything is received
extension SyncEngine {
  /// Returns whether a device that authenticated from an address was received recently, so that a
  /// missing answer indicates loss.
  func isAbout(_ endpoint: Endpoint) -> Bool {
    guard contacts.isProved(endpoint), let device = contacts[endpoint]?.device,
      let peer = context.peers[device]
    else { return false }
    return context.now.milliseconds(since: peer.presence.lastHeard) < Timing.aboutMilliseconds
  }

  /// Returns the next retransmission: after 250 ms, doubling to 2 s, and later on a slow link.
  func nextAttempt(after attempts: Int) -> Instant {
    let wait = min(
      Timing.handshakeFirstMilliseconds << Int64(min(attempts - 1, 8)),
      Timing.handshakeLastMilliseconds)
    return context.now.advanced(byMilliseconds: wait + context.outbox.links.patienceMilliseconds)
  }

  /// Retransmits a response. An address that was not authenticated gets at most three times the
  /// bytes received from it.
  mutating func repeatResponse(_ index: UInt32) {
    guard let handshake = handshakes[index] else { return }
    if let allowed = handshake.allowedBytes {
      guard handshake.datagram.count <= allowed else { return }
      handshakes[index]?.allowedBytes = allowed - handshake.datagram.count
    }
    context.transmit(handshake.datagram, to: .endpoint(handshake.endpoint, handshake.link))
  }

  func deadline(of handshake: SessionHandshake) -> Instant {
    let end = handshake.startedAt.advanced(byMilliseconds: Timing.handshakeMilliseconds)
    return min(end, handshake.nextAttempt ?? end)
  }

  /// Retransmits an unanswered message, for half a minute.
  mutating func tendHandshake(_ index: UInt32) {
    guard var handshake = handshakes[index] else { return }
    guard context.now.milliseconds(since: handshake.startedAt) < Timing.handshakeMilliseconds else {
      handshakes[index] = nil
      return
    }
    if let attempt = handshake.nextAttempt, attempt <= context.now {
      guard !isOvertaken(handshake) else {
        handshakes[index] = nil
        return
      }
      handshake.attempts += 1
      handshake.nextAttempt =
        handshake.attempts < Timing.handshakeAttempts
        ? nextAttempt(after: handshake.attempts) : nil
      handshakes[index] = handshake
      if handshake.remoteIndex == nil {
        context.transmit(handshake.datagram, to: .endpoint(handshake.endpoint, .unknown))
      } else {
        repeatResponse(index)
      }
    }
    context.deadlines.schedule(.handshake(index), at: deadline(of: handshake))
  }

  /// Returns whether its device was received since on another session.
  private func isOvertaken(_ handshake: SessionHandshake) -> Bool {
    guard let device = contacts[handshake.endpoint]?.device,
      let session = context.liveSession(of: device).flatMap({ context.sessions[$0] })
    else { return false }
    return session.lastReceived > handshake.startedAt
  }

  /// Retransmits an unconfirmed finish, for half a minute.
  mutating func repeatFinish(_ index: UInt32) {
    guard let session = context.sessions[index], var finish = session.unconfirmedFinish,
      finish.nextAttempt <= context.now
    else { return }
    guard context.now.milliseconds(since: session.establishedAt) < Timing.handshakeMilliseconds
    else {
      return close(index)
    }
    finish.attempts += 1
    finish.nextAttempt = nextAttempt(after: finish.attempts)
    context.sessions[index]?.unconfirmedFinish = finish
    context.transmit(finish.datagram, to: .endpoint(session.endpoint, session.link))
  }
}
