/// The source or destination of a datagram: IP address and UDP port. Opaque to the engine.
public struct Endpoint: Hashable, Comparable, Sendable {
  /// Four bytes (IPv4) or sixteen (IPv6).
  public let address: [UInt8]
  /// In host order; the engine does not interpret it.
  public let port: UInt16
  /// The interface index that an IPv6 link-local address needs; 0 otherwise.
  public let scope: UInt32

  /// Returns nil unless the address has four or sixteen bytes.
  public init?(address: [UInt8], port: UInt16, scope: UInt32 = 0) {
    guard address.count == 4 || address.count == 16 else { return nil }
    self.address = address
    self.port = port
    self.scope = scope
  }

  /// The unspecified address with port 0 (RFC 1122), from which no datagram arrives.
  public static let unspecified = Endpoint()

  private init() {
    address = [0, 0, 0, 0]
    port = 0
    scope = 0
  }

  /// Orders by address, port, scope, so that no decision depends on the order of a hash table.
  public static func < (left: Endpoint, right: Endpoint) -> Bool {
    if left.address != right.address {
      return left.address.lexicographicallyPrecedes(right.address)
    }
    return left.port != right.port ? left.port < right.port : left.scope < right.scope
  }
}

extension Endpoint: Codable {
  private enum CodingKeys: CodingKey { case address, port, scope }

  /// Decodes an endpoint. Rejects an address of any other length.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let endpoint = Endpoint(
      address: try container.decode(ByteString.self, forKey: .address).bytes,
      port: try container.decode(UInt16.self, forKey: .port),
      scope: try container.decode(UInt32.self, forKey: .scope))
    guard let endpoint else {
      throw DecodingError.dataCorruptedError(
        forKey: .address, in: container, debugDescription: "not of 4 or 16 bytes")
    }
    self = endpoint
  }

  /// Encodes the address as bytes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ByteString(address), forKey: .address)
    try container.encode(port, forKey: .port)
    try container.encode(scope, forKey: .scope)
  }
}

extension Endpoint {
  /// Returns a host and a port as in a URL: an IPv6 address in brackets (RFC 3986 3.2.2).
  public static func authority(_ host: String, _ port: some BinaryInteger) -> String {
    host.contains(":") && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension Endpoint: CustomStringConvertible {
  /// `uplink`, `192.0.2.1:7474` or `[2001:db8::1]:7474` (RFC 5952).
  public var description: String {
    if isUplink { return "uplink" }
    if address.count == 4 {
      return address.map(String.init).joined(separator: ".") + ":\(port)"
    }
    return "[\(ipv6Text)" + (scope == 0 ? "" : "%\(scope)") + "]:\(port)"
  }

  /// The groups of an IPv6 address, with `::` for the first of the longest runs of zero groups.
  private var ipv6Text: String {
    let groups = stride(from: 0, to: 16, by: 2).map {
      UInt16(address[$0]) << 8 | UInt16(address[$0 + 1])
    }
    func text(_ range: Range<Int>) -> String {
      groups[range].map { String($0, radix: 16) }.joined(separator: ":")
    }
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 }
      if index + 1 - start > longest.count { longest = start..<index + 1 }
    }
    guard longest.count > 1 else { return text(0..<8) }
    return text(0..<longest.lowerBound) + "::" + text(longest.upperBound..<8)
  }
}
