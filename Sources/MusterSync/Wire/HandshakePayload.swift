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

  func encoded() -> [UInt8] {
    var wire = WireHandshakePayload()
    switch self {
    case .padding: wire.padding = .init(repeating: 0, count: Self.paddingBytes)
    case .chain(let chain): wire.chain = chain.map(\.wire)
    case .join(let request): wire.join = request.wire
    }
    return wire.bytes
  }

  init(decoding bytes: [UInt8]) throws(WireError) {
    let wire = try WireHandshakePayload(parsing: bytes)
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
