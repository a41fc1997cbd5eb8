import MusterCrypto
import MusterModel
import Testing

@Suite("Keys")
struct KeyTests {
  let seed = hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")

  @Test("a signing key signs as RFC 8032, section 7.1, test 2 does")
  func signing() throws {
    // Given the key of the example
    let key = try SigningKey(seed: seed)
    #expect(
      key.publicKey.bytes
        == hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))

    // When it signs, twice
    let signature = key.sign([0x72])

    // Then the signature is the example's, and the same each time
    #expect(
      signature.bytes
        == hex(
          "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"))
    #expect(key.sign([0x72]) == signature)
    #expect(key.exportSeed() == seed)
  }

  @Test("a signature is valid for its message and its author only")
  func verifying() throws {
    // Given a signed message, long enough for several blocks
    let key = try SigningKey(seed: seed)
    let message = (0..<200).map { UInt8($0) }
    let signature = key.sign(message)
    #expect(key.publicKey.isValid(signature, for: message))

    // Then no byte of message or signature can change, and no other key has signed it
    for index in message.indices {
      var changed = message
      changed[index] ^= 1
      #expect(!key.publicKey.isValid(signature, for: changed))
    }
    for index in signature.bytes.indices {
      var changed = signature.bytes
      changed[index] ^= 0x10
      let forged = try #require(Signature(bytes: changed))
      #expect(!key.publicKey.isValid(forged, for: message))
    }
    let other = try SigningKey(seed: [UInt8](repeating: 1, count: 32))
    #expect(!other.publicKey.isValid(signature, for: message))
    #expect(!VerifyingKey(raw: .zero).isValid(signature, for: message))
    #expect(key.publicKey.isValid(key.sign([]), for: []))
  }

  @Test("two agreement keys agree as in RFC 7748, section 6.1")
  func agreement() throws {
    let alice = try AgreementKey(
      secret: hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    let bob = try AgreementKey(
      secret: hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    #expect(
      bob.publicKey.bytes
        == hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(alice.sharedSecret(with: bob.publicKey) == shared)
    #expect(bob.sharedSecret(with: alice.publicKey) == shared)
  }

  @Test("nothing is agreed on with a key of small order")
  func weakAgreement() throws {
    let key = try AgreementKey(secret: seed)
    #expect(key.sharedSecret(with: AgreementPublicKey(raw: .zero)) == nil)
    let one = try #require(AgreementPublicKey(bytes: [1] + [UInt8](repeating: 0, count: 31)))
    #expect(key.sharedSecret(with: one) == nil)
  }

  @Test("bytes of another length make no key, nonce or signature", arguments: [0, 31, 33])
  func lengths(count: Int) {
    let bytes = [UInt8](repeating: 9, count: count)
    let wrong = CryptoError.wrongLength(expected: 32, actual: count)
    #expect(throws: wrong) { _ = try SigningKey(seed: bytes) }
    #expect(throws: wrong) { _ = try AgreementKey(secret: bytes) }
    #expect(VerifyingKey(bytes: bytes) == nil)
    #expect(AgreementPublicKey(bytes: bytes) == nil)
    #expect(SealingKey(bytes: bytes) == nil)
    #expect(Nonce24(bytes: bytes) == nil)
    #expect(Signature(bytes: bytes) == nil)
  }

  @Test("keys come back from what was exported")
  func export() throws {
    let signing = try SigningKey(seed: seed)
    #expect(try SigningKey(seed: signing.exportSeed()).publicKey == signing.publicKey)
    let agreement = try AgreementKey(secret: seed)
    #expect(
      try AgreementKey(secret: agreement.exportSecret()).publicKey == agreement.publicKey)
    #expect(SealingKey(bytes: seed)?.export() == seed)
  }
}
