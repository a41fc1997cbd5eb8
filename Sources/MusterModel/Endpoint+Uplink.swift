extension Endpoint {
  /// The discard prefix of RFC 6666, which is never routed: a placeholder for an uplink cannot be a
  /// real address.
  private static let uplinkPrefix: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]

  /// Returns the placeholder for a path over HTTPS, which has no address of its own in the engine.
  ///
  /// - Parameter number: which of this process's uplinks; it has no meaning elsewhere.
  public static func uplink(_ number: UInt64) -> Endpoint {
    let bytes = uplinkPrefix + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    guard let endpoint = Endpoint(address: bytes, port: 0) else {
      preconditionFailure("an address has 4 or 16 bytes, not \(bytes.count)")
    }
    return endpoint
  }

  /// Whether it is the placeholder of an uplink: it is neither advertised nor remembered.
  public var isUplink: Bool {
    port == 0 && address.count == 16 && address.starts(with: Self.uplinkPrefix)
  }
}
