public import MusterCrypto
public import MusterModel

/// What an invite URL carries: enough to find the inviting device and to know it for what it is.
public struct Invitation: Hashable, Sendable {
  public let rootKey: VerifyingKey
  /// Sixteen bytes, good for as many uses as the inviting device grants.
  public let secret: [UInt8]
  public let role: Role
  /// For the person to read: only the inviting device judges it.
  public let expiresAt: Timestamp
  public let operationName: String
  /// Where the inviting device may be found.
  public let endpoints: [Endpoint]

  public static let secretBytes = 16
  static let version: UInt8 = 1
  static let maximumEndpoints = 8

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

  public var id: InviteID { InviteID(secret: secret) }
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
