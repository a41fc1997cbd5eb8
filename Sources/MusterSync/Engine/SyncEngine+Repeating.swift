internal import MusterModel

/// Retransmission of handshake messages, byte for byte. On a path with 90 % loss each message is
/// sent a dozen times before it arrives.
///
///     initiation ─▶ while its device was received recently; otherwise with the next attempt
///     response   ─▶ to an address that was authenticated; otherwise up to three times the bytes
///                   received from it (anti-amplification, RFC 9000 §8.1)
///     finish     ─▶ until anything is received
extension SyncEngine {

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
    finish.nextAttempt = context.nextAttempt(after: finish.attempts)
    context.sessions[index]?.unconfirmedFinish = finish
    context.transmit(finish.datagram, to: .endpoint(session.endpoint, session.link))
  }
}
