import MusterCrypto
import MusterModel
import Testing

@Suite("Keys from passphrases")
struct PasswordHashTests {
  let salt = Array(">A 16-bytes salt".utf8)

  @Test("are those of libsodium's own Argon2id test")
  func knownAnswer() throws {
    // Given the string hash $argon2id$v=19$m=4096,t=19,p=1$… of that test
    let passphrase = "^T5H$JYt39n%K*j:W]!1s?vg!:jGi]Ax?..l7[p0v:1jHTpla9;]bUN;?bWyCbtqg "
    let cost = try #require(PasswordCost(passes: 19, memoryBytes: 4096 * 1024))

    // When its passphrase is hashed at its cost
    let key = try PasswordHash.deriveKey(
      passphrase: Array(passphrase.utf8), salt: salt, cost: cost)

    // Then the key is the hash within it, ltB/ue1kPtBMBGfsysMpPigE6hiNEKZ9vs8vLNVDQGA
    #expect(
      Hex.encode(key.export())
        == "96d07fb9ed643ed04c0467eccac3293e2804ea188d10a67dbecf2f2cd5434060")
  }

  @Test("depend on passphrase, salt and cost, and on nothing else")
  func inputs() throws {
    func key(
      _ passphrase: String, _ salt: [UInt8], _ cost: PasswordCost
    ) throws -> [UInt8] {
      try PasswordHash.deriveKey(passphrase: Array(passphrase.utf8), salt: salt, cost: cost)
        .export()
    }
    let other = try #require(PasswordCost(passes: 2, memoryBytes: 8 * 1024))
    let first = try key("smoke", salt, .minimum)
    #expect(try key("smoke", salt, .minimum) == first)
    #expect(try key("smokf", salt, .minimum) != first)
    #expect(try key("smoke", salt.reversed(), .minimum) != first)
    #expect(try key("smoke", salt, other) != first)
  }

  @Test("are refused for an empty passphrase and for a salt of another length")
  func refusals() {
    #expect(throws: CryptoError.emptyPassphrase) {
      _ = try PasswordHash.deriveKey(passphrase: [], salt: salt, cost: .minimum)
    }
    #expect(throws: CryptoError.wrongLength(expected: 16, actual: 15)) {
      _ = try PasswordHash.deriveKey(
        passphrase: [1], salt: Array(salt.dropLast()), cost: .minimum)
    }
  }

  @Test("cost no more than a laptop can pay, whatever a key file requires")
  func costBounds() {
    #expect(PasswordCost(passes: 0, memoryBytes: 8192) == nil)
    #expect(PasswordCost(passes: 33, memoryBytes: 8192) == nil)
    #expect(PasswordCost(passes: 1, memoryBytes: 8191) == nil)
    #expect(PasswordCost(passes: 1, memoryBytes: (1 << 30) + 1) == nil)
    #expect(PasswordCost(passes: .min, memoryBytes: .max) == nil)
    #expect(PasswordCost(passes: 1, memoryBytes: 8192) == .minimum)
    #expect(PasswordCost(passes: 2, memoryBytes: 1 << 26) == .interactive)
  }
}
