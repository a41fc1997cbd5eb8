import MusterModel
import Testing

@testable import MusterCrypto

@Suite(
  "Project Wycheproof's cases",
  .enabled(if: SharedVectors.areHere, Comment(rawValue: SharedVectors.absent)))
struct WycheproofTests {
  struct SealGroup: Decodable {
    struct Case: Decodable {
      let tcId: Int
      let key, iv, aad, msg, ct, tag: HexBytes
      let result: WycheproofResult
    }
    let tests: [Case]
  }

  @Test("XChaCha20-Poly1305 seals and opens the valid ones and refuses the invalid")
  func xChaCha20Poly1305() throws {
    let file = try SharedVectors.load(
      "wycheproof-xchacha20_poly1305_test.json", as: WycheproofFile<SealGroup>.self)
    var checked = 0
    for vector in file.testGroups.flatMap(\.tests) {
      checked += 1
      let key = try #require(SealingKey(bytes: vector.key.bytes))
      // A nonce of another length cannot even be made.
      guard let nonce = Nonce24(bytes: vector.iv.bytes) else {
        #expect(vector.result == .invalid, "case \(vector.tcId)")
        continue
      }
      let (plaintext, header) = (vector.msg.bytes, vector.aad.bytes)
      let sealed = vector.ct.bytes + vector.tag.bytes
      let isValid = vector.result == .valid
      let expected = isValid ? plaintext : nil

      #expect(
        key.open(sealed, nonce: nonce, additionalData: header) == expected,
        "case \(vector.tcId)")
      #expect(
        key.openBody(nonce.bytes + sealed, additionalData: header) == expected,
        "case \(vector.tcId)")
      #expect(
        (key.seal(plaintext, nonce: nonce, additionalData: header) == sealed) == isValid,
        "case \(vector.tcId)")
    }
    #expect(checked == file.numberOfTests)
  }

  @Test("ChaCha20-Poly1305 seals and opens the valid ones and refuses the invalid")
  func chaCha20Poly1305() throws {
    let file = try SharedVectors.load(
      "wycheproof-chacha20_poly1305_test.json", as: WycheproofFile<SealGroup>.self)
    var checked = 0
    for vector in file.testGroups.flatMap(\.tests) {
      checked += 1
      // A session's nonce is a counter of fixed width, so other lengths cannot even be asked for.
      guard vector.iv.bytes.count == ChaCha20Poly1305.nonceBytes else {
        #expect(vector.result == .invalid, "case \(vector.tcId)")
        continue
      }
      let key = SecretBytes(vector.key.bytes)
      let sealed = vector.ct.bytes + vector.tag.bytes
      let opened = sealed.withUnsafeBufferPointer {
        ChaCha20Poly1305.open(
          $0, nonce: vector.iv.bytes, additionalData: vector.aad.bytes, key: key)
      }
      let resealed = ChaCha20Poly1305.seal(
        vector.msg.bytes, nonce: vector.iv.bytes, additionalData: vector.aad.bytes, key: key)

      let isValid = vector.result == .valid
      #expect(opened == (isValid ? vector.msg.bytes : nil), "case \(vector.tcId)")
      #expect((resealed == sealed) == isValid, "case \(vector.tcId)")
    }
    #expect(checked == file.numberOfTests)
  }

  struct SignatureGroup: Decodable {
    struct PublicKey: Decodable { let pk: HexBytes }
    struct Case: Decodable {
      let tcId: Int
      let msg, sig: HexBytes
      let result: WycheproofResult
    }
    let publicKey: PublicKey
    let tests: [Case]
  }

  @Test("Ed25519 accepts the valid ones and refuses the invalid, malleable ones among them")
  func ed25519() throws {
    let file = try SharedVectors.load(
      "wycheproof-ed25519_test.json", as: WycheproofFile<SignatureGroup>.self)
    var checked = 0
    for group in file.testGroups {
      let key = try #require(VerifyingKey(bytes: group.publicKey.pk.bytes))
      for vector in group.tests {
        checked += 1
        // A signature of another length cannot even be made.
        let signature = Signature(bytes: vector.sig.bytes)
        let isValid = signature.map { key.isValid($0, for: vector.msg.bytes) } ?? false
        #expect(isValid == (vector.result == .valid), "case \(vector.tcId)")
      }
    }
    #expect(checked == file.numberOfTests)
  }

  struct AgreementGroup: Decodable {
    struct Case: Decodable {
      let tcId: Int
      let flags: [String]
      let `public`, `private`, shared: HexBytes
      let result: WycheproofResult
    }
    let tests: [Case]
  }

  /// Of the acceptable cases we reject those with an all-zero shared secret, as RFC 7748 allows and
  /// Noise requires, and compute the rest (points of the twist, keys that are not reduced), as it
  /// specifies.
  @Test("X25519 agrees on all but zero")
  func x25519() throws {
    let file = try SharedVectors.load(
      "wycheproof-x25519_test.json", as: WycheproofFile<AgreementGroup>.self)
    var checked = 0
    for vector in file.testGroups.flatMap(\.tests) {
      checked += 1
      #expect(vector.result != .invalid, "case \(vector.tcId)")
      let own = try AgreementKey(secret: vector.private.bytes)
      let other = try #require(AgreementPublicKey(bytes: vector.public.bytes))
      let agreesOnZero = vector.flags.contains("ZeroSharedSecret")
      #expect(
        own.sharedSecret(with: other) == (agreesOnZero ? nil : vector.shared.bytes),
        "case \(vector.tcId)")
    }
    #expect(checked == file.numberOfTests)
  }
}
