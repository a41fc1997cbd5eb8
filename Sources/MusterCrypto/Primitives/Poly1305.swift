import CSodium

/// Poly1305 (RFC 8439) as a universal hash. One key hashes many messages here, so its output MUST
/// stay secret.
enum Poly1305 {
  /// The length of an output.
  static let tagBytes = 16

  /// Writes `tagBytes` bytes to `output`.
  static func hash(
    _ bytes: UnsafeRawBufferPointer, key: SecretBytes, to output: UnsafeMutableRawPointer
  ) {
    let status = key.withPointer { key in
      crypto_onetimeauth_poly1305(
        output.assumingMemoryBound(to: UInt8.self),
        bytes.bindMemory(to: UInt8.self).baseAddress, UInt64(bytes.count), key)
    }
    precondition(status == 0, "Poly1305 refused \(bytes.count) bytes")
  }
}
