/// Seals the pages of a device's database, where they lie in memory.
///
/// XChaCha20-Poly1305, as for frames. It proves to the device's owner that a page is as this device
/// wrote it; the signatures in it prove who said what.
public struct PageKey: Sendable, Redacted {
  /// The length of a nonce.
  public static let nonceBytes = XChaCha20Poly1305.nonceBytes
  /// The length of a tag.
  public static let tagBytes = XChaCha20Poly1305.tagBytes

  private let secret: SecretBytes
  private let maskSecret: SecretBytes

  /// The key of the device that signs with this one: whoever has its key file can open its
  /// database, and nobody else.
  public init(of device: SigningKey) {
    let seed = device.exportSeed()
    secret = SecretBytes(Blake2b.hash256(Array("muster database 1".utf8), seed).bytes)
    maskSecret = SecretBytes(Blake2b.hash256(Array("muster database mask 1".utf8), seed).bytes)
  }

  /// Text becomes ciphertext. `nonce` MUST be `nonceBytes` long and never be used twice; `tag` MUST
  /// have room for `tagBytes`.
  public func seal(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer
  ) {
    XChaCha20Poly1305.seal(
      inPlace: text, tag: tag, nonce: nonce, additionalData: additionalData, key: secret)
  }

  /// Whether all is as it was sealed; then ciphertext has become text, and otherwise zeros.
  public func open(
    _ text: UnsafeMutableRawBufferPointer, tag: UnsafeRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer
  ) -> Bool {
    XChaCha20Poly1305.open(
      UnsafeRawBufferPointer(text), to: text.baseAddress, tag: tag, nonce: nonce,
      additionalData: additionalData, key: secret)
  }

  /// Whether all is as it was sealed, without opening it, at a third of the cost.
  public func holds(
    _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: UnsafeRawPointer,
    additionalData: UnsafeRawBufferPointer
  ) -> Bool {
    XChaCha20Poly1305.open(
      ciphertext, to: nil, tag: tag, nonce: nonce, additionalData: additionalData, key: secret)
  }

  /// What damage left of a text: bytes that were not damaged are right, the others wrong, and
  /// nothing tells which. Only for what proves itself otherwise.
  public func decipher(_ text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawPointer) {
    XChaCha20Poly1305.decipher(inPlace: text, nonce: nonce, key: secret)
  }

  /// Eight bytes that nobody without the key can guess, and that `place` determines: to hide a
  /// small number that has no room for a nonce.
  public func mask(for place: UnsafeRawBufferPointer) -> UInt64 {
    Blake2b.keyedWord(place, key: maskSecret)
  }
}
