/// A symmetric XChaCha20-Poly1305 key: an epoch's content key, the network key, a wrapped file's.
///
/// Sealing gives secrecy and proves knowledge of the key, never which of its holders sealed:
/// authorship is the signature's business. A *body* is the form that travels and is stored:
/// nonce ‖ ciphertext ‖ tag.
public struct SealingKey: Sendable, Redacted {
  /// The length of a key.
  public static let byteCount = XChaCha20Poly1305.keyBytes
  /// How much longer than its plaintext a body is.
  public static let bodyOverheadBytes = XChaCha20Poly1305.nonceBytes + XChaCha20Poly1305.tagBytes

  private let secret: SecretBytes

  /// Nil unless there are exactly thirty-two bytes, which MUST be random or derived as a key.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    secret = SecretBytes(bytes)
  }

  init(secret: SecretBytes) {
    precondition(secret.count == Self.byteCount, "a sealing key of \(secret.count) bytes")
    self.secret = secret
  }

  /// Ciphertext ‖ tag. A nonce MUST NOT be used twice under one key.
  public func seal(
    _ plaintext: [UInt8], nonce: Nonce24, additionalData: [UInt8]
  ) -> [UInt8] {
    let sealedBytes = plaintext.count + XChaCha20Poly1305.tagBytes
    return [UInt8](unsafeUninitializedCapacity: sealedBytes) { output, count in
      XChaCha20Poly1305.seal(
        plaintext, nonce: nonce.bytes, additionalData: additionalData, key: secret,
        to: output.baseAddress!)
      count = sealedBytes
    }
  }

  /// Nil unless key, nonce, additional data and every byte are as they were sealed.
  public func open(
    _ ciphertext: [UInt8], nonce: Nonce24, additionalData: [UInt8]
  ) -> [UInt8]? {
    ciphertext.withUnsafeBufferPointer {
      XChaCha20Poly1305.open(
        $0, nonce: nonce.bytes, additionalData: additionalData, key: secret)
    }
  }

  /// A body: nonce ‖ ciphertext ‖ tag. A nonce MUST NOT be used twice under one key.
  public func sealBody(
    _ plaintext: [UInt8], nonce: Nonce24, additionalData: [UInt8]
  ) -> [UInt8] {
    let bodyBytes = plaintext.count + Self.bodyOverheadBytes
    return [UInt8](unsafeUninitializedCapacity: bodyBytes) { output, count in
      _ = output.prefix(Nonce24.byteCount).initialize(fromContentsOf: nonce.bytes)
      XChaCha20Poly1305.seal(
        plaintext, nonce: nonce.bytes, additionalData: additionalData, key: secret,
        to: output.baseAddress! + Nonce24.byteCount)
      count = bodyBytes
    }
  }

  /// Nil unless it is a body that was sealed under this key with this additional data.
  public func openBody(_ body: [UInt8], additionalData: [UInt8]) -> [UInt8]? {
    body.withUnsafeBufferPointer { openBody($0, additionalData: additionalData) }
  }

  /// As above, of a body inside a larger buffer.
  public func openBody(_ body: ArraySlice<UInt8>, additionalData: [UInt8]) -> [UInt8]? {
    body.withUnsafeBufferPointer { openBody($0, additionalData: additionalData) }
  }

  private func openBody(
    _ body: UnsafeBufferPointer<UInt8>, additionalData: [UInt8]
  ) -> [UInt8]? {
    guard let start = body.baseAddress, body.count >= Self.bodyOverheadBytes else { return nil }
    return XChaCha20Poly1305.open(
      UnsafeBufferPointer(rebasing: body.dropFirst(Nonce24.byteCount)), nonce: start,
      additionalData: additionalData, key: secret)
  }

  /// The key in the clear, for key files and for sealing it to others; the copy is the caller's
  /// to guard.
  public func export() -> [UInt8] { secret.exported() }
}
