public import MusterCrypto
public import MusterModel

/// The contents of an invite URL: enough to reach and authenticate the inviting device.
public struct Invitation: Hashable, Sendable, Redacted {
  /// The joiner verifies every certificate against it. The URL is passed on outside the network, so
  /// an on-path attacker cannot forge it.
  public let rootKey: VerifyingKey
  /// Sixteen bytes. The inviting device limits the number of uses.
  public let secret: [UInt8]
  /// For display: the role that the inviting device will grant.
  public let role: Role
  /// For display: only the inviting device enforces it.
  public let expiresAt: Timestamp
  /// For display; not unique.
  public let operationName: String
  /// Addresses of the inviting device.
  public let endpoints: [Endpoint]

  /// 128 bits: infeasible to guess, and short enough for a QR code on a terminal.
  public static let secretBytes = 16
  static let version: UInt8 = 1
  static let maximumEndpoints = 8

  /// Creates an invite with the first eight endpoints. The secret MUST be `secretBytes` of fresh
  /// random bytes.
  public init(
    rootKey: VerifyingKey, secret: [UInt8], role: Role, expiresAt: Timestamp,
    operationName: String, endpoints: [Endpoint]
  ) {
    precondition(secret.count == Self.secretBytes, "secret of \(secret.count) bytes")
    self.rootKey = rootKey
    self.secret = secret
    self.role = role
    self.expiresAt = expiresAt
    self.operationName = operationName
    self.endpoints = Array(endpoints.prefix(Self.maximumEndpoints))
  }

  /// The id that the joiner sends in plaintext in place of the secret.
  public var id: InviteID { InviteID(secret: secret) }
  /// A hash of `rootKey`, to which the handshake is bound.
  public var operation: OperationID { OperationID(rootKey: rootKey) }

  /// Returns the pre-shared key of the handshake, derived from the secret.
  public static func preSharedKey(secret: [UInt8]) -> [UInt8] {
    Blake2b.hash256(Tag.invite, secret, Tag.join).bytes
  }
}

extension Invitation {
  /// Encodes the invite with fixed widths and counted lists. Four bytes of BLAKE2b over them
  /// distinguish an altered or truncated URL from one that is refused.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.version)
    writer.append(rootKey.raw)
    writer.append(fixed: secret)
    writer.append(role.rawValue)
    writer.append(expiresAt.milliseconds)
    writer.append(operationName)
    writer.append(UInt8(endpoints.count))
    for endpoint in endpoints {
      writer.append(UInt8(endpoint.address.count))
      writer.append(fixed: endpoint.address)
      writer.append(endpoint.port)
    }
    writer.append(fixed: Self.checksum(writer.bytes))
    return writer.bytes
  }

  /// Decodes what `encoded` returned. Throws `forged` if the checksum is wrong, `malformed` if the
  /// version or the contents are not supported.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count > 4, Self.checksum(Array(bytes.dropLast(4))) == Array(bytes.suffix(4)) else {
      throw .forged("the invite is altered or incomplete")
    }
    do {
      try self.init(contents: Array(bytes.dropLast(4)))
    } catch {
      throw .malformed("the invite is not one of this version")
    }
  }

  private init(contents: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(contents)
    guard try reader.integer(UInt8.self) == Self.version else { throw .invalid("version") }
    let rootKey = VerifyingKey(raw: try reader.bytes32())
    let secret = try reader.fixed(Self.secretBytes)
    guard let role = Role(rawValue: try reader.integer(UInt8.self)) else { throw .invalid("role") }
    let expiresAt = Timestamp(milliseconds: try reader.integer(Int64.self))
    let name = try reader.text()
    guard TextRule.line.accepts(name) else { throw .invalid("name") }
    let count = try reader.integer(UInt8.self)
    guard count <= Self.maximumEndpoints else { throw .invalid("addresses") }
    var endpoints: [Endpoint] = []
    for _ in 0..<count {
      let length = Int(try reader.integer(UInt8.self))
      let address = try reader.fixed(length)
      let port = try reader.integer(UInt16.self)
      guard let endpoint = Endpoint(address: address, port: port) else {
        throw .invalid("address")
      }
      endpoints.append(endpoint)
    }
    try reader.expectEnd()
    self.init(
      rootKey: rootKey, secret: secret, role: role, expiresAt: expiresAt, operationName: name,
      endpoints: endpoints)
  }

  private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    Array(Blake2b.hash128(Tag.invite, bytes).bytes.prefix(4))
  }
}
