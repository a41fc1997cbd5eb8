public import MusterCrypto
internal import MusterModel

/// A join request as a file.
public struct JoinRequestFile: Hashable, Sendable {
  /// The callsign of the joining user; part of the signed bytes.
  public let callsign: String
  /// The public keys, with proof that the requester holds the signing key.
  public let request: JoinRequest

  /// Creates a file. `request` MUST have been signed with `binding(callsign:)`, else every reader
  /// rejects it.
  public init(callsign: String, request: JoinRequest) {
    self.callsign = callsign
    self.request = request
  }

  /// Returns the binding of a request that is transferred as a file.
  public static func binding(callsign: String) -> [UInt8] { Array("file ".utf8) + callsign.utf8 }

  /// Returns a line that identifies the format, followed by Protocol Buffers.
  public func encoded() -> [UInt8] {
    var wire = WireJoinRequestFile()
    wire.callsign = callsign
    wire.request = request.wire
    return Array("muster join request 1\n".utf8) + wire.bytes
  }

  /// Parses a file and verifies the signature. Throws `malformed` for a wrong form and `forged` for
  /// an invalid signature.
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

/// The grant as a file, which only the requesting device can open.
public struct JoinGrantFile: Hashable, Sendable {
  /// The signing key of the requesting device. It identifies a file for another device before the
  /// file is opened.
  public let device: VerifyingKey
  /// The grant in a `crypto_box_seal` to the requested agreement key.
  public let sealed: [UInt8]

  /// Seals a grant. Returns nil if the agreement key of the request is not a valid public key.
  public init?(grant: JoinGrant, for request: JoinRequest, ephemeral: AgreementKey) {
    guard
      let sealed = SealedBox.seal(
        grant.encoded(), to: request.agreementKey, drawn: ephemeral)
    else { return nil }
    device = request.signingKey
    self.sealed = sealed
  }

  /// Decrypts the grant. Throws `forged` if it was sealed to another key or is damaged, and
  /// `malformed` for a wrong form. The caller verifies the chain.
  public func opened(with key: AgreementKey) throws(WireError) -> JoinGrant {
    guard let bytes = SealedBox.open(sealed, with: key) else {
      throw .forged("the grant is damaged or was made for another device")
    }
    return try JoinGrant(decoding: bytes)
  }

  /// Returns a line that identifies the format, followed by Protocol Buffers.
  public func encoded() -> [UInt8] {
    var wire = WireJoinGrantFile()
    wire.device = .init(device.raw.bytes)
    wire.sealed = .init(sealed)
    return Array("muster join grant 1\n".utf8) + wire.bytes
  }

  /// Parses a file. Throws `malformed` for a wrong form. Nothing is authenticated until
  /// `opened(with:)`.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    let magic = Array("muster join grant 1\n".utf8)
    guard bytes.starts(with: magic) else { throw .malformed("not a join grant") }
    let wire = try WireJoinGrantFile(parsing: Array(bytes.dropFirst(magic.count)))
    guard let device = VerifyingKey(bytes: wire.device) else { throw .malformed("join grant") }
    self.device = device
    sealed = Array(wire.sealed)
  }
}
