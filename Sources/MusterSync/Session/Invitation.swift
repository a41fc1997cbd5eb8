public import MusterCrypto
public import MusterModel

/// What an invite URL carries: enough to find the inviting device and to know it for what it is.
public struct Invitation: Hashable, Sendable {
  /// What the joiner checks every certificate against: it came by a way that the network cannot
  /// forge.
  public let rootKey: VerifyingKey
  /// Sixteen bytes, good for as many uses as the inviting device grants.
  public let secret: [UInt8]
  /// For the person to read: what the inviting device will grant.
  public let role: Role
  /// For the person to read: only the inviting device judges it.
  public let expiresAt: Timestamp
  /// For the person to read; not unique.
  public let operationName: String
  /// Where the inviting device may be found.
  public let endpoints: [Endpoint]

  /// 128 bits, too many to guess, few enough for a QR code on a terminal.
  public static let secretBytes = 16
  static let version: UInt8 = 1
  static let maximumEndpoints = 8

  /// Keeps the first eight endpoints. The secret MUST be `secretBytes` of fresh random bytes.
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

  /// What the joiner sends in the clear instead of the secret.
  public var id: InviteID { InviteID(secret: secret) }
  /// A hash of `rootKey`; the handshake is bound to it.
  public var operation: OperationID { OperationID(rootKey: rootKey) }

  /// The pre-shared key of the handshake that the secret opens.
  public static func preSharedKey(secret: [UInt8]) -> [UInt8] {
    Blake2b.hash256(Tag.invite, secret, Tag.join).bytes
  }
}

extension Invitation {
  /// Fixed widths and counted lists, and four bytes of BLAKE2b over them, so that a URL that was
  /// altered or cut on its way is told from one that is merely refused.
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

  /// Reads what `encoded` gave: `forged` where the checksum fails, `malformed` where the version or
  /// the contents are not understood.
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
