public import MusterModel

/// A symmetric XChaCha20-Poly1305 key: an epoch's content key, the network key, a wrapped file's
/// key.
///
/// Sealing provides confidentiality and proves knowledge of the key, never which of its holders
/// sealed: signatures prove authorship. A *body* is the form that is transmitted and stored: nonce
/// ‖ ciphertext ‖ tag.
public struct SealingKey: Sendable, Redacted {
  /// The length of a key.
  public static let byteCount = XChaCha20Poly1305.keyBytes
  /// How much longer than its plaintext a body is.
  public static let bodyOverheadBytes = XChaCha20Poly1305.nonceBytes + XChaCha20Poly1305.tagBytes

  private let secret: SecretBytes

  /// Returns nil unless there are exactly thirty-two bytes, which MUST be random or a derived key.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    secret = SecretBytes(bytes)
  }

  init(secret: SecretBytes) {
    precondition(secret.count == Self.byteCount, "a sealing key of \(secret.count) bytes")
    self.secret = secret
  }

  /// Returns ciphertext ‖ tag. A nonce MUST NOT be used twice with one key.
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

  /// Returns the plaintext; nil if authentication fails.
  public func open(
    _ ciphertext: [UInt8], nonce: Nonce24, additionalData: [UInt8]
  ) -> [UInt8]? {
    ciphertext.withUnsafeBufferPointer {
      XChaCha20Poly1305.open(
        $0, nonce: nonce.bytes, additionalData: additionalData, key: secret)
    }
  }

  /// Returns a body: nonce ‖ ciphertext ‖ tag. The nonce is derived from `drawn` and from what is
  /// sealed, so that it is never used for two plaintexts (see `NonceKey`). `drawn` MUST be random:
  /// if it repeats, an equal plaintext gives an equal body.
  public func sealBody(
    _ plaintext: [UInt8], drawn: Nonce24, additionalData: [UInt8]
  ) -> [UInt8] {
    let bodyBytes = plaintext.count + Self.bodyOverheadBytes
    return [UInt8](unsafeUninitializedCapacity: bodyBytes) { output, count in
      let nonce = output.baseAddress!
      _ = output.prefix(Nonce24.byteCount).initialize(fromContentsOf: drawn.bytes)
      plaintext.withUnsafeBytes { plaintext in
        additionalData.withUnsafeBytes { data in
          NonceKey(of: secret).derive(at: nonce, plaintext: plaintext, additionalData: data)
        }
      }
      #if Canary
        if Canary.reuseNonce.isPlanted { nonce.update(repeating: 0, count: Nonce24.byteCount) }
      #endif
      XChaCha20Poly1305.seal(
        plaintext, nonce: nonce, additionalData: additionalData, key: secret,
        to: nonce + Nonce24.byteCount)
      count = bodyBytes
    }
  }

  /// Opens a body; nil if authentication fails.
  public func openBody(_ body: [UInt8], additionalData: [UInt8]) -> [UInt8]? {
    body.withUnsafeBufferPointer { openBody($0, additionalData: additionalData) }
  }

  /// Opens a body inside a larger buffer; nil if authentication fails.
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

  /// Returns the key in plaintext, for key files and for sealing it to others. The caller MUST
  /// protect the copy.
  public func export() -> [UInt8] { secret.exported() }
}
