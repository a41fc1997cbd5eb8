internal import MusterCrypto
internal import MusterModel

/// What others may cost. The order of checks is size, link, the member's allowance, signature: a
/// member could fill a core with signatures alone.
extension SyncEngine {
  // MARK: Signatures

  /// Whether a signature that a member sent may be verified; what holds is paid back.
  mutating func maySpendSignature(_ device: DeviceID) -> Bool {
    peers[device]?.signatures.take(SignatureCost.milliseconds, now: now) ?? false
  }

  mutating func payBackSignature(_ device: DeviceID) {
    peers[device]?.signatures.giveBack(SignatureCost.milliseconds)
  }

  /// An announce proves only by its signature whose it is: those from an address at which its
  /// device is known are that device's to pay for, all others share one allowance.
  mutating func maySpendAnnounceSignature(_ device: DeviceID, at endpoint: Endpoint) -> Bool {
    isAt(endpoint, device)
      ? maySpendSignature(device)
      : strangersSignatures.take(SignatureCost.milliseconds, now: now)
  }

  mutating func payBackAnnounceSignature(_ device: DeviceID, at endpoint: Endpoint) {
    if isAt(endpoint, device) {
      payBackSignature(device)
    } else {
      strangersSignatures.giveBack(SignatureCost.milliseconds)
    }
  }

  private func isAt(_ endpoint: Endpoint, _ device: DeviceID) -> Bool {
    peers[device]?.endpoint == endpoint
  }

  // MARK: Cookies

  /// Under load only an address that has shown that it hears is answered at length. Reading the
  /// first message costs no agreement of keys, and strangers fail at it: they get silence.
  mutating func mayRespond(
    to message: ArraySlice<UInt8>, purpose: SessionHandshake.Purpose, preSharedKey: [UInt8],
    remoteIndex: UInt32, at endpoint: Endpoint
  ) throws(WireError) -> Bool {
    let isUnderLoad =
      handshakes.count > Limits.handshakesInFlight / 2
      || !initiations.take(InitiationCost.milliseconds, now: now)
    guard isUnderLoad, !hasShownCookie else { return true }
    var handshake = SessionHandshake(
      .responder, purpose: purpose, operation: local.operation, preSharedKey: preSharedKey,
      staticKey: local.agreementKey, ephemeralKey: local.agreementKey,
      rules: local.rulesVersion, localIndex: 0, endpoint: endpoint, now: now)
    guard case .padding = try handshake.read(message) else { throw .malformed("initiation") }
    var writer = ByteWriter()
    writer.append(DatagramKind.cookie.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: cookies.cookie(for: endpoint, now: now, random: &random))
    transmit(writer.bytes, to: .endpoint(endpoint, arrivalLink))
    return false
  }

  /// An initiation with the cookie that its address was sent.
  mutating func receiveWithCookie(_ bytes: ArraySlice<UInt8>, from endpoint: Endpoint) {
    let cookie = Array(bytes.prefix(cookieBytes))
    let inner = Array(bytes.dropFirst(cookieBytes))
    let kind = inner.first.flatMap(DatagramKind.init)
    guard kind == .initiation || kind == .joinInitiation, cookies.holds(cookie, for: endpoint)
    else { return reject(.unauthenticated, from: endpoint) }
    hasShownCookie = true
    receive(inner, from: endpoint)
    hasShownCookie = false
  }
}

/// Fifty signatures that do not hold a second, after a burst: a third of a percent of a core.
enum SignatureCost {
  static let milliseconds: Int64 = 20
  static let burst: Int64 = 256
}

/// Fifty handshakes begun by others a second, after a burst.
enum InitiationCost {
  static let milliseconds: Int64 = 20
  static let burst: Int64 = 128
}
