internal import MusterCrypto
internal import MusterModel

/// Rate limits on what peers may cost. The order of checks is size, link, the peer's rate limit,
/// signature: signature checks alone could otherwise occupy a core.
extension SyncEngine {
  // MARK: Signatures

  // MARK: Cookies

  /// Returns whether to respond to an initiation. Under load only addresses with a valid cookie get
  /// a full response. The first message costs no key agreement to read, and outsiders fail at it:
  /// they get no answer.
  mutating func mayRespond(
    to message: ArraySlice<UInt8>, purpose: SessionHandshake.Purpose, preSharedKey: [UInt8],
    remoteIndex: UInt32, by arrival: Arrival
  ) throws(WireError) -> Bool {
    let isUnderLoad =
      handshakes.isCrowded
      || !limits.initiations.take(InitiationCost.milliseconds, now: context.clock.now)
    guard isUnderLoad, !arrival.hasCookie else { return true }
    let endpoint = arrival.endpoint
    var handshake = SessionHandshake(
      .responder, purpose: purpose, operation: context.local.operation, preSharedKey: preSharedKey,
      staticKey: context.local.agreementKey, ephemeralKey: context.local.agreementKey,
      rules: context.local.rulesVersion, localIndex: 0, endpoint: endpoint, now: context.now)
    guard case .padding = try handshake.read(message) else { throw .malformed("initiation") }
    var writer = ByteWriter()
    writer.append(DatagramKind.cookie.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: cookies.cookie(for: endpoint, now: context.now, random: &context.random))
    context.transmit(writer.bytes, to: .endpoint(endpoint, arrival.link))
    return false
  }

  /// Processes an initiation with the cookie that was sent to its address.
  mutating func receiveWithCookie(_ bytes: ArraySlice<UInt8>, by arrival: Arrival) {
    let cookie = Array(bytes.prefix(cookieBytes))
    let inner = Array(bytes.dropFirst(cookieBytes))
    let kind = inner.first.flatMap(DatagramKind.init)
    guard kind == .initiation || kind == .joinInitiation,
      cookies.holds(cookie, for: arrival.endpoint)
    else { return context.reject(.unauthenticated, from: arrival.endpoint) }
    var arrival = arrival
    arrival.hasCookie = true
    receive(inner, by: arrival)
  }
}

/// Limits invalid signatures to fifty per second after a burst: a third of a percent of a core.
enum SignatureCost {
  static let milliseconds: Int64 = 20
  static let burst: Int64 = 256
}

/// Limits incoming handshakes to fifty per second after a burst.
enum InitiationCost {
  static let milliseconds: Int64 = 20
  static let burst: Int64 = 128
}
