internal import MusterModel

/// What of a handshake is not answered is said again, byte for byte: on a way that loses nine in
/// ten each of its messages is said a dozen times before it arrives.
///
///     initiation ─▶ where its device was heard of late; else when its address is tried again
///     response   ─▶ where somebody has proved to be; else for what came from there, thrice as much
///     finish     ─▶ until anything comes back
extension SyncEngine {
  /// Whether somebody who proved to be at an address was heard of late, so that what is not
  /// answered was lost.
  func isAbout(_ endpoint: Endpoint) -> Bool {
    guard isProved(endpoint), let device = contacts[endpoint]?.device, let peer = peers[device]
    else { return false }
    return now.milliseconds(since: peer.lastHeard) < Timing.aboutMilliseconds
  }

  /// A quarter of a second, doubling to two; and longer where the link takes long over a datagram.
  func nextAttempt(after attempts: Int) -> Instant {
    let wait = min(
      Timing.handshakeFirstMilliseconds << Int64(min(attempts - 1, 8)),
      Timing.handshakeLastMilliseconds)
    return now.advanced(byMilliseconds: wait + outbox.links.patienceMilliseconds)
  }

  func isProved(_ endpoint: Endpoint) -> Bool {
    guard let contact = contacts[endpoint] else { return false }
    return contact.device != nil && contact.attemptsLeft == nil
  }

  /// To an address that nobody has proved to be at goes three times what came from it.
  mutating func repeatResponse(_ index: UInt32) {
    guard let handshake = handshakes[index] else { return }
    if let allowed = handshake.allowedBytes {
      guard handshake.datagram.count <= allowed else { return }
      handshakes[index]?.allowedBytes = allowed - handshake.datagram.count
    }
    transmit(handshake.datagram, to: .endpoint(handshake.endpoint, handshake.link))
  }

  func deadline(of handshake: SessionHandshake) -> Instant {
    let end = handshake.startedAt.advanced(byMilliseconds: Timing.handshakeMilliseconds)
    return min(end, handshake.nextAttempt ?? end)
  }

  /// What was not answered is said again, for half a minute.
  mutating func tendHandshake(_ index: UInt32) {
    guard var handshake = handshakes[index] else { return }
    guard now.milliseconds(since: handshake.startedAt) < Timing.handshakeMilliseconds else {
      handshakes[index] = nil
      return
    }
    if let attempt = handshake.nextAttempt, attempt <= now {
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
        transmit(handshake.datagram, to: .endpoint(handshake.endpoint, .unknown))
      } else {
        repeatResponse(index)
      }
    }
    deadlines.schedule(.handshake(index), at: deadline(of: handshake))
  }

  /// Its device has been heard since on a session that came about otherwise.
  private func isOvertaken(_ handshake: SessionHandshake) -> Bool {
    guard let device = contacts[handshake.endpoint]?.device,
      let session = liveSession(of: device).flatMap({ sessions[$0] })
    else { return false }
    return session.lastReceived > handshake.startedAt
  }

  /// What should have been confirmed is said again, for half a minute.
  mutating func repeatFinish(_ index: UInt32) {
    guard let session = sessions[index], var finish = session.unconfirmedFinish,
      finish.nextAttempt <= now
    else { return }
    guard now.milliseconds(since: session.establishedAt) < Timing.handshakeMilliseconds else {
      return close(index)
    }
    finish.attempts += 1
    finish.nextAttempt = nextAttempt(after: finish.attempts)
    sessions[index]?.unconfirmedFinish = finish
    transmit(finish.datagram, to: .endpoint(session.endpoint, session.link))
  }
}
