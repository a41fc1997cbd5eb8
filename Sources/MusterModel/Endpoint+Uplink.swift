extension Endpoint {
  /// The prefix of RFC 6666, which no network ever routes: what stands in for an uplink cannot be
  /// anybody's address.
  private static let uplinkPrefix: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]

  /// What stands in for a way over HTTPS, which has no address of its own to the engine.
  ///
  /// - Parameter number: which of this process's uplinks; it means nothing anywhere else.
  public static func uplink(_ number: UInt64) -> Endpoint {
    let bytes = uplinkPrefix + withUnsafeBytes(of: number.bigEndian) { Array($0) }
    guard let endpoint = Endpoint(address: bytes, port: 0) else {
      preconditionFailure("an address has 4 or 16 bytes, not \(bytes.count)")
    }
    return endpoint
  }

  /// Whether it stands in for a way over HTTPS: nobody is told of it, and it is not remembered.
  public var isUplink: Bool {
    port == 0 && address.count == 16 && address.starts(with: Self.uplinkPrefix)
  }
}
