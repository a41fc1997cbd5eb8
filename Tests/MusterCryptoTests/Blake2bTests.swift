import MusterModel
import Testing

@testable import MusterCrypto

@Suite("BLAKE2b")
struct Blake2bTests {
  let abc = Array("abc".utf8)
  let thousand = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

  @Test("hashes abc as RFC 7693, appendix A, does")
  func rfcExample() {
    #expect(
      Hex.encode(Blake2b.hash512(abc))
        == "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
        + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
  }

  @Test("makes shorter digests of their own, not prefixes of the long one")
  func shorterDigests() {
    #expect(
      Hex.encode(Blake2b.hash256(abc).bytes)
        == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
    #expect(Hex.encode(Blake2b.hash128(abc).bytes) == "cf4ab791c62b8d2b2109c90275287816")
    #expect(
      Hex.encode(Blake2b.hash256([]).bytes)
        == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8")
  }

  @Test("hashes parts as their concatenation, wherever they are cut", arguments: [0, 1, 128, 999])
  func partsAreConcatenated(cut: Int) {
    // Given a message of several blocks
    let whole = Blake2b.hash256(thousand)
    #expect(
      Hex.encode(whole.bytes)
        == "c636324d47d89f2b2434dc2c994100663fbbaea880ff020fc5de89dd0f77a1ec")

    // When it is hashed in three parts, one of them empty
    let parts = Blake2b.hash256(Array(thousand[..<cut]), [], Array(thousand[cut...]))

    // Then nothing has changed
    #expect(parts == whole)
    let short = Blake2b.hash128(Array(thousand[..<cut]), Array(thousand[cut...]))
    #expect(short == Blake2b.hash128(thousand))
  }

  @Test("hashes slices and borrowed memory as it hashes arrays")
  func borrowedMemory() {
    let slice = thousand[100..<300]
    let expected = Blake2b.hash256(Array(slice))
    #expect(Blake2b.hash256(slice) == expected)
    #expect(slice.withUnsafeBytes { Blake2b.hash256($0) } == expected)
    #expect(slice.withUnsafeBytes { Blake2b.hash128($0) } == Blake2b.hash128(Array(slice)))
    #expect(Blake2b.hash256(UnsafeRawBufferPointer(start: nil, count: 0)) == Blake2b.hash256([]))
  }

  @Test("streams to the same digest as at once, at every length", arguments: [1, 16, 32, 64])
  func streaming(outputBytes: Int) {
    // Given a hasher that is fed in pieces of growing length
    var hasher = Blake2bHasher(outputBytes: outputBytes)
    var rest = thousand[...]
    var length = 0
    while !rest.isEmpty {
      hasher.update(rest.prefix(length))
      rest = rest.dropFirst(length)
      length += 1
    }

    // Then its digest is that of the whole
    var atOnce = Blake2bHasher(outputBytes: outputBytes)
    atOnce.update(thousand)
    #expect(hasher.finalize() == atOnce.finalize())
    #expect(hasher.finalize().count == outputBytes)
    if outputBytes == 32 { #expect(hasher.finalize() == Blake2b.hash256(thousand).bytes) }
  }

  @Test("a copy of a hasher goes its own way, and reading the digest disturbs nothing")
  func copies() {
    // Given a hasher and a copy of it
    var original = Blake2bHasher(outputBytes: 32)
    original.update(Array("a".utf8))
    var copy = original

    // When each takes something else, and one is read halfway
    original.update(Array("bc".utf8))
    copy.update(Array("b".utf8))
    #expect(copy.finalize() == Blake2b.hash256(Array("ab".utf8)).bytes)
    copy.update(Array("d".utf8))

    // Then each has hashed its own
    #expect(original.finalize() == Blake2b.hash256(abc).bytes)
    #expect(copy.finalize() == Blake2b.hash256(Array("abd".utf8)).bytes)
  }
}
