public import MusterCrypto
internal import MusterModel

/// A join request on a memory stick.
public struct JoinRequestFile: Hashable, Sendable {
  /// What the joiner calls themself; part of what is signed.
  public let callsign: String
  /// Keys, with the proof that the file's maker holds the signing one.
  public let request: JoinRequest

  /// `request` MUST have been made with `binding(callsign:)`, or nobody takes the file.
  public init(callsign: String, request: JoinRequest) {
    self.callsign = callsign
    self.request = request
  }

  /// What the request's signature is bound to when it travels by file.
  public static func binding(callsign: String) -> [UInt8] { Array("file ".utf8) + callsign.utf8 }

  /// A line that names the form, then Protocol Buffers.
  public func encoded() -> [UInt8] {
    var wire = WireJoinRequestFile()
    wire.callsign = callsign
    wire.request = request.wire
    return Array("muster join request 1\n".utf8) + wire.bytes
  }

  /// Parses, and checks the proof that the file's maker holds the signing key.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    let magic = Array("muster join request 1\n".utf8)
    guard bytes.starts(with: magic) else { throw .malformed("not a join request") }
    let wire = try WireJoinRequestFile(parsing: Array(bytes.dropFirst(magic.count)))
    let request = try JoinRequest(wire.request)
    guard TextRule.line.accepts(wire.callsign) else { throw .malformed("callsign") }
    guard request.isSigned(binding: Self.binding(callsign: wire.callsign)) else {
      throw .forged("the join request's signature does not hold")
    }
    self.init(callsign: wire.callsign, request: request)
  }
}

/// The answer on a memory stick, which only the device that asked can open.
public struct JoinGrantFile: Hashable, Sendable {
  /// Signing key of the device that asked: tells a file for another device before anything is
  /// opened.
  public let device: VerifyingKey
  /// The grant in a `crypto_box_seal` to the requested agreement key.
  public let sealed: [UInt8]

  /// Nil when the request's agreement key is one that nothing can be sealed to.
  public init?(grant: JoinGrant, for request: JoinRequest, ephemeral: AgreementKey) {
    guard
      let sealed = SealedBox.seal(
        grant.encoded(), to: request.agreementKey, drawn: ephemeral)
    else { return nil }
    device = request.signingKey
    self.sealed = sealed
  }

  /// Throws `forged` for a key that it was not sealed to; whether its chain holds is for the caller
  /// to check.
  public func opened(with key: AgreementKey) throws(WireError) -> JoinGrant {
    guard let bytes = SealedBox.open(sealed, with: key) else {
      throw .forged("the grant is damaged or was made for another device")
    }
    return try JoinGrant(decoding: bytes)
  }

  /// A line that names the form, then Protocol Buffers.
  public func encoded() -> [UInt8] {
    var wire = WireJoinGrantFile()
    wire.device = .init(device.raw.bytes)
    wire.sealed = .init(sealed)
    return Array("muster join grant 1\n".utf8) + wire.bytes
  }

  /// Parses; nothing is proven before it is opened.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    let magic = Array("muster join grant 1\n".utf8)
    guard bytes.starts(with: magic) else { throw .malformed("not a join grant") }
    let wire = try WireJoinGrantFile(parsing: Array(bytes.dropFirst(magic.count)))
    guard let device = VerifyingKey(bytes: wire.device) else { throw .malformed("join grant") }
    self.device = device
    sealed = Array(wire.sealed)
  }
}
