import MusterModel
import Testing

@testable import MusterCrypto

@Suite("Secrets")
struct RedactionTests {
  /// 0xa7, 167 in decimal: a byte that no description would show by chance four times over.
  static let seed = [UInt8](repeating: 0xa7, count: 32)

  struct Holder<Key> {
    let key: Key
    let list: [Key]
  }

  @Test("are not shown by printing, interpolating, dumping or reflecting, even inside others")
  func redaction() throws {
    func check<Key: Redacted>(_ key: Key, _ comment: Comment) {
      let holder = Holder(key: key, list: [key])
      var dumped = ""
      dump(key, to: &dumped)
      dump(holder, to: &dumped)
      let texts = [
        "\(key)", String(describing: key), String(reflecting: key), "\(holder)",
        String(reflecting: holder), dumped,
      ]
      for text in texts {
        #expect(text.contains("redacted"), comment)
        #expect(!text.contains("167") && !text.contains("a7a7"), comment)
        #expect(!text.contains("0x"), comment)
      }
      #expect(Mirror(reflecting: key).children.isEmpty, comment)
    }
    let agreement = try AgreementKey(secret: Self.seed)
    check(SecretBytes(Self.seed), "SecretBytes")
    check(try SigningKey(seed: Self.seed), "SigningKey")
    check(agreement, "AgreementKey")
    check(try #require(SealingKey(bytes: Self.seed)), "SealingKey")
    check(SessionKey(secret: SecretBytes(Self.seed)), "SessionKey")
    check(DeterministicRandom(seed: Self.seed), "DeterministicRandom")
    check(
      try NoiseHandshake(
        role: .initiator, pattern: .xxpsk0, prologue: Self.seed, staticKey: agreement,
        ephemeralKey: agreement, preSharedKey: Self.seed), "NoiseHandshake")
  }

  @Test("are wiped by the library's own means")
  func wiping() {
    var bytes = Self.seed
    bytes.withUnsafeMutableBytes { Sodium.wipe($0) }
    #expect(bytes == [UInt8](repeating: 0, count: 32))
    Sodium.wipe(UnsafeMutableRawBufferPointer(start: nil, count: 0))
  }
}
