internal import MusterCrypto
internal import MusterModel

extension LocalDevice {
  /// Returns whether a datagram is an initiation by a device of this operation: a listener for
  /// several operations thus finds out which one a client belongs to. It may be a replayed one.
  public func authenticates(initiation datagram: [UInt8]) -> Bool {
    var message = datagram[...]
    if message.first == DatagramKind.withCookie.rawValue {
      message = message.dropFirst(1 + cookieBytes)
    }
    guard message.first == DatagramKind.initiation.rawValue, message.count > 5 else { return false }
    // Nothing is written, so no ephemeral key is used.
    var handshake = SessionHandshake(
      .responder, purpose: .session, operation: operation, preSharedKey: networkKey.export(),
      staticKey: agreementKey, ephemeralKey: agreementKey, rules: rulesVersion, localIndex: 0,
      endpoint: .uplink(0), now: Instant(microseconds: 0))
    do {
      _ = try handshake.read(message.dropFirst(5))
      return true
    } catch {
      return false
    }
  }
}
