import CSodium

/// Anonymous encryption to a public key, byte for byte libsodium's `crypto_box_seal`: ephemeral
/// public key ‖ box, whose nonce is the BLAKE2b-192 of both public keys.
///
/// The library draws the ephemeral key itself; here the caller supplies a drawn one, so that a run
/// can be replayed from a seed. The key that is used is derived from it and from the message, so
/// that no key seals two messages, even if the drawn one repeats (see `NonceKey`).
public enum SealedBox {
  /// How much longer than its plaintext a sealed box is.
  public static let overheadBytes = 48

  /// Seals a message; nil if `recipient` is of small order, so that no secret can be agreed on.
  public static func seal(
    _ plaintext: [UInt8], to recipient: AgreementPublicKey, drawn: AgreementKey
  ) -> [UInt8]? {
    let message = Array("muster box 1".utf8) + recipient.raw.bytes + plaintext
    let secret = SecretBytes(count: AgreementKey.secretBytes) { output in
      message.withUnsafeBytes {
        Blake2b.keyed($0, key: drawn.secret, to: output, count: AgreementKey.secretBytes)
      }
    }
    return seal(plaintext, to: recipient, ephemeral: AgreementKey(secret: secret))
  }

  /// `ephemeral` MUST be used for this one message.
  static func seal(
    _ plaintext: [UInt8], to recipient: AgreementPublicKey, ephemeral: AgreementKey
  ) -> [UInt8]? {
    let sealedBytes = plaintext.count + overheadBytes
    let ephemeralBytes = ephemeral.publicKey.raw.bytes
    var nonceHasher = Blake2bHasher(outputBytes: 24)
    nonceHasher.update(ephemeralBytes)
    nonceHasher.update(recipient.raw.bytes)
    let nonce = nonceHasher.finalize()
    var isSealed = false
    let box = [UInt8](unsafeUninitializedCapacity: sealedBytes) { output, count in
      isSealed = ephemeral.secret.withPointer { secret in
        recipient.raw.withPointer { recipient in
          crypto_box_easy(
            output.baseAddress! + 32, plaintext, UInt64(plaintext.count), nonce, recipient, secret)
            == 0
        }
      }
      guard isSealed else { return }
      _ = output.prefix(32).initialize(fromContentsOf: ephemeralBytes)
      count = sealedBytes
    }
    return isSealed ? box : nil
  }

  /// Opens a box; nil unless it was sealed to this key and is undamaged.
  public static func open(_ box: [UInt8], with key: AgreementKey) -> [UInt8]? {
    guard box.count >= overheadBytes else { return nil }
    let plaintextBytes = box.count - overheadBytes
    var isAuthentic = false
    // The library requires a pointer even if there is nothing to write.
    let plaintext = [UInt8](unsafeUninitializedCapacity: max(1, plaintextBytes)) { output, count in
      isAuthentic = key.secret.withPointer { secret in
        key.publicKey.raw.withPointer { publicKey in
          crypto_box_seal_open(output.baseAddress!, box, UInt64(box.count), publicKey, secret) == 0
        }
      }
      count = isAuthentic ? plaintextBytes : 0
    }
    return isAuthentic ? plaintext : nil
  }
}
