internal import MusterModel

/// The payload of a handshake message: padding, the sender's whole certificate chain, or the
/// request of a joiner. With the whole chain, two devices can authenticate each other even if
/// neither knows the devices that admitted the other.
enum HandshakePayload: Hashable, Sendable {
  case padding
  case chain([SignedCertificate])
  case join(JoinRequest)

  /// The padding of the first message, in bytes. The response carries a chain to an address that is
  /// not validated yet; with the padding it is at most three times as large (RFC 9000 §8.1).
  static let paddingBytes = 320

  /// - Parameter rules: the sender's version; `unstated` if the payload is not part of a handshake.
  func encoded(rules: RulesVersion) -> [UInt8] {
    var wire = WireHandshakePayload()
    wire.rules = rules.wire
    switch self {
    case .padding: wire.padding = .init(repeating: 0, count: Self.paddingBytes)
    case .chain(let chain): wire.chain = chain.map(\.wire)
    case .join(let request): wire.join = request.wire
    }
    return wire.bytes
  }

  /// Returns the payload and the sender's rules version.
  static func decode(
    _ bytes: [UInt8]
  ) throws(WireError) -> (payload: HandshakePayload, rules: RulesVersion) {
    let wire = try WireHandshakePayload(parsing: bytes)
    return (try HandshakePayload(wire), try RulesVersion(wire: wire.rules))
  }

  private init(_ wire: WireHandshakePayload) throws(WireError) {
    if wire.hasJoin {
      self = .join(try JoinRequest(wire.join))
    } else if !wire.chain.isEmpty {
      guard wire.chain.count <= Limits.certificateChain else { throw .overLimit("chain") }
      var chain: [SignedCertificate] = []
      for certificate in wire.chain { chain.append(try SignedCertificate(certificate)) }
      self = .chain(chain)
    } else {
      self = .padding
    }
  }
}

extension RulesVersion {
  /// The value of the protocol field: 0, which is omitted, for an unstated version.
  var wire: UInt32 { isStated ? UInt32(raw) : 0 }

  init(wire: UInt32) throws(WireError) {
    guard wire > 0 else {
      self = .unstated
      return
    }
    guard let raw = UInt8(exactly: wire), let version = RulesVersion(raw: raw), version.isStated
    else { throw .malformed("rules version") }
    self = version
  }
}
