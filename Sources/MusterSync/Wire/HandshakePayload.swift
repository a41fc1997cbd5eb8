internal import MusterModel

/// What rides in a handshake message: the sender's whole certificate chain, so that two devices
/// that never heard of each other's admitters can talk; from a joiner, its request.
enum HandshakePayload: Hashable, Sendable {
  case padding
  case chain([SignedCertificate])
  case join(JoinRequest)

  /// The first message is padded so that the answer, which carries a chain to an address that is
  /// not validated yet, is at most three times as large.
  static let paddingBytes = 320

  /// - Parameter rules: the sender's; `unstated` where the payload is not part of a handshake.
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

  /// The payload, and the sender's rules version.
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
  /// Absent from a message where it is not stated.
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
