public import MusterModel

/// Seals the pages of a device's database in place.
///
/// XChaCha20-Poly1305, as for frames. It authenticates a page as written by this device; the
/// signatures in the frames authenticate their authors.
public struct PageKey: Sendable, Redacted {
  /// The length of a nonce.
  public static let nonceBytes = XChaCha20Poly1305.nonceBytes
  /// The length of a tag.
  public static let tagBytes = XChaCha20Poly1305.tagBytes

  private let secret: SecretBytes
  private let maskSecret: SecretBytes
  private let nonceKey: NonceKey

  /// Derives the key from the device's signing key: only the holder of the key file can open the
  /// database.
  public init(of device: SigningKey) {
    let seed = device.exportSeed()
    secret = SecretBytes(Blake2b.hash256(Array("muster database 1".utf8), seed).bytes)
    maskSecret = SecretBytes(Blake2b.hash256(Array("muster database mask 1".utf8), seed).bytes)
    nonceKey = NonceKey(of: secret)
  }

  /// Encrypts in place. `nonce` MUST hold `nonceBytes` that this process uses once; they are
  /// replaced by the nonce, which also depends on the text (see `NonceKey`). `tag` MUST have room
  /// for `tagBytes`.
  public func seal(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawPointer,
    nonce: UnsafeMutableRawPointer, additionalData: UnsafeRawBufferPointer
  ) {
    nonceKey.derive(
      at: nonce, plaintext: UnsafeRawBufferPointer(text), additionalData: additionalData)
    XChaCha20Poly1305.seal(
      inPlace: text, tag: tag, nonce: nonce, additionalData: additionalData, key: secret)
  }

  /// Verifies the tag and decrypts in place. Returns false and zeros the buffer if verification
  /// fails.
  public func open(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer
  ) -> Bool {
    XChaCha20Poly1305.open(
      UnsafeRawBufferPointer(text), to: text.baseAddress, tag: tag, nonce: nonce,
      additionalData: additionalData, key: secret)
  }

  /// Verifies the tag without decryption, at a third of the cost.
  public func holds(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer
  ) -> Bool {
    XChaCha20Poly1305.open(
      ciphertext, to: nil, tag: tag, nonce: nonce, additionalData: additionalData, key: secret)
  }

  /// Decrypts without verification, for salvage: undamaged bytes are right, the others wrong, and
  /// nothing indicates which. Only for data that is authenticated otherwise.
  public func decipher(_ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawPointer) {
    XChaCha20Poly1305.decipher(inPlace: text, nonce: nonce, key: secret)
  }

  /// Returns eight pseudorandom bytes determined by the key and `place`, to hide a small number
  /// that has no room for a nonce.
  public func mask(for place: UnsafeRawBufferPointer) -> UInt64 {
    Blake2b.keyedWord(place, key: maskSecret)
  }
}
