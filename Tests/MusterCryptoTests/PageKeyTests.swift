import MusterCrypto
import MusterModel
import Testing

@Suite("Keys of pages")
struct PageKeyTests {
  private let seed = [UInt8](repeating: 7, count: 32)
  private let drawn = [UInt8](1...24)
  private let place: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 16, 0]
  private let text = (0..<4056).map { UInt8(truncatingIfNeeded: $0 * 31) }

  private func sealed(by key: PageKey) -> (bytes: [UInt8], tag: [UInt8], nonce: [UInt8]) {
    var bytes = text
    var nonce = drawn
    var tag = [UInt8](repeating: 0, count: PageKey.tagBytes)
    bytes.withUnsafeMutableBytes { bytes in
      tag.withUnsafeMutableBytes { tag in
        nonce.withUnsafeMutableBytes { nonce in
          place.withUnsafeBytes { place in
            key.seal(
              bytes, tag: tag.baseAddress!, nonce: nonce.baseAddress!, additionalData: place)
          }
        }
      }
    }
    return (bytes, tag, nonce)
  }

  private func opened(
    _ bytes: [UInt8], _ tag: [UInt8], _ nonce: [UInt8], by key: PageKey
  ) -> [UInt8]? {
    var bytes = bytes
    let (holds, isOpen) = place.withUnsafeBytes { place in
      let holds = bytes.withUnsafeBytes {
        key.holds($0, tag: tag, nonce: nonce, additionalData: place)
      }
      let isOpen = bytes.withUnsafeMutableBytes {
        key.open($0, tag: tag, nonce: nonce, additionalData: place)
      }
      return (holds, isOpen)
    }
    #expect(holds == isOpen)
    return isOpen ? bytes : nil
  }

  @Test func `what is sealed in its place opens for the same device alone`() throws {
    let key = PageKey(of: try SigningKey(seed: seed))
    let other = PageKey(of: try SigningKey(seed: [UInt8](repeating: 8, count: 32)))
    let (bytes, tag, nonce) = sealed(by: key)

    #expect(bytes != text)
    #expect(opened(bytes, tag, nonce, by: key) == text)
    #expect(opened(bytes, tag, nonce, by: other) == nil)
    for index in [0, 1, 2000, 4055] {
      var damaged = bytes
      damaged[index] ^= 1
      #expect(opened(damaged, tag, nonce, by: key) == nil)
    }
    var wrong = tag
    wrong[15] ^= 128
    #expect(opened(bytes, wrong, nonce, by: key) == nil)
  }

  @Test func `the key is the one that the page of the wire names`() throws {
    let (bytes, tag, nonce) = sealed(by: PageKey(of: try SigningKey(seed: seed)))
    let key = try #require(
      SealingKey(bytes: Blake2b.hash256(Array("muster database 1".utf8), seed).bytes))

    #expect(key.openBody(nonce + bytes + tag, additionalData: place) == text)
  }

  @Test func `damage changes what is deciphered only where it is`() throws {
    let key = PageKey(of: try SigningKey(seed: seed))
    var (bytes, _, nonce) = sealed(by: key)
    bytes[100] ^= 64
    bytes.withUnsafeMutableBytes { key.decipher($0, nonce: nonce) }

    var expected = text
    expected[100] ^= 64
    #expect(bytes == expected)
  }

  @Test func `a mask belongs to its key and its place`() throws {
    let key = PageKey(of: try SigningKey(seed: seed))
    let other = PageKey(of: try SigningKey(seed: [UInt8](repeating: 8, count: 32)))
    func mask(_ key: PageKey, _ place: [UInt8]) -> UInt64 {
      place.withUnsafeBytes { key.mask(for: $0) }
    }

    #expect(mask(key, place) == mask(key, place))
    #expect(mask(key, place) != mask(other, place))
    #expect(mask(key, place) != mask(key, place.reversed()))
  }
}
