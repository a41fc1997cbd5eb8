import MusterModel
import Testing

@testable import MusterCrypto

@Suite("Sealing")
struct SealTests {
  let plaintext = Array("hold the bridge".utf8)
  let header = Array("header".utf8)
  let count32 = (0..<32).map { UInt8($0) }

  @Test("a sealing key seals as draft-irtf-cfrg-xchacha, appendix A.3.1, does")
  func draftExample() throws {
    let key = try #require(SealingKey(bytes: (0x80..<0xa0).map { UInt8($0) }))
    let nonce = try #require(Nonce24(bytes: (0x40..<0x58).map { UInt8($0) }))
    let message = Array(
      ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        + "future, sunscreen would be it.").utf8)
    let sealed = key.seal(
      message, nonce: nonce, additionalData: hex("50515253c0c1c2c3c4c5c6c7"))
    #expect(Hex.encode(sealed.prefix(16)) == "bd6d179d3e83d43b9576579493c0e939")
    #expect(Hex.encode(sealed.suffix(16)) == "c0875924c1c7987947deafd8780acf49")
  }

  @Test("a body is nonce, ciphertext and tag, and opens from within a larger buffer")
  func bodies() throws {
    // Given a body
    let key = try #require(SealingKey(bytes: count32))
    let nonce = try #require(Nonce24(bytes: (0..<24).map { UInt8($0) }))
    let body = key.sealBody(plaintext, drawn: nonce, additionalData: header)
    let used = try #require(Nonce24(bytes: body.prefix(24)))
    #expect(body == used.bytes + key.seal(plaintext, nonce: used, additionalData: header))
    #expect(body.count == plaintext.count + SealingKey.bodyOverheadBytes)

    // Then it opens, alone and as a slice
    #expect(key.openBody(body, additionalData: header) == plaintext)
    let framed = [1, 2, 3] + body + [4, 5]
    #expect(key.openBody(framed[3..<3 + body.count], additionalData: header) == plaintext)
    #expect(key.openBody(framed[3...], additionalData: header) == nil)

    // And an empty one does too
    let empty = key.sealBody([], drawn: nonce, additionalData: [])
    #expect(empty.count == SealingKey.bodyOverheadBytes)
    #expect(key.openBody(empty, additionalData: []) == [])
  }

  @Test("a body of which anything changed does not open")
  func damagedBodies() throws {
    let key = try #require(SealingKey(bytes: count32))
    let nonce = try #require(Nonce24(bytes: [UInt8](repeating: 3, count: 24)))
    let body = key.sealBody(plaintext, drawn: nonce, additionalData: header)
    for index in body.indices {
      var changed = body
      changed[index] ^= 0x80
      #expect(key.openBody(changed, additionalData: header) == nil)
      #expect(key.openBody(Array(body[..<index]), additionalData: header) == nil)
    }
    #expect(key.openBody(body, additionalData: []) == nil)
    let other = try #require(SealingKey(bytes: count32.reversed()))
    #expect(other.openBody(body, additionalData: header) == nil)
  }

  @Test("a session key's nonce is four zero bytes and the counter, little-endian")
  func sessionKey() {
    // Given an output of another implementation of RFC 8439
    let key = SessionKey(secret: SecretBytes(count32))
    let counter: UInt64 = 0x0123_4567_89ab_cdef
    let sealed = hex("02ce0f63c96a09f33f2f340b9134928721d5fbc33223bc91a787963578c2e9")

    // Then ours is the same, and opens under this counter and header only
    #expect(key.seal(plaintext, counter: counter, additionalData: header) == sealed)
    #expect(key.open(sealed, counter: counter, additionalData: header) == plaintext)
    #expect(
      key.open(([9] + sealed)[1...], counter: counter, additionalData: header) == plaintext)
    #expect(key.open(sealed, counter: counter + 1, additionalData: header) == nil)
    #expect(key.open(sealed, counter: counter, additionalData: plaintext) == nil)
    for length in sealed.indices {
      #expect(
        key.open(Array(sealed[..<length]), counter: counter, additionalData: header) == nil)
    }
  }

  @Test("a sealed box is the library's, ephemeral key and all")
  func sealedBoxBytes() throws {
    // Given what libsodium's crypto_box makes with the nonce that its sealed boxes use
    let recipient = try AgreementKey(secret: count32)
    let ephemeral = try AgreementKey(secret: [UInt8](repeating: 0x42, count: 32))
    let expected = hex(
      "132c442be010fbd57e72603328aa76e71fccc1503aae219327d14d9c9993f472"
        + "0f49e66f9519afa26354c6ca2e27dcda65a733dacd856251e2")

    // When the same is sealed here
    let box = SealedBox.seal(
      Array("epoch key".utf8), to: recipient.publicKey, ephemeral: ephemeral)

    // Then the bytes are the same, and crypto_box_seal_open (which `open` calls) opens them
    #expect(box == expected)
    #expect(SealedBox.open(expected, with: recipient) == Array("epoch key".utf8))
  }

  @Test("one drawn key seals no two messages with the same key")
  func derivedEphemeralKeys() throws {
    let recipient = try AgreementKey(secret: count32)
    let drawn = try AgreementKey(secret: [UInt8](repeating: 5, count: 32))
    let boxes = try [[1], [2]].map {
      try #require(SealedBox.seal($0, to: recipient.publicKey, drawn: drawn))
    }
    #expect(boxes[0].prefix(32) != boxes[1].prefix(32))
    #expect(boxes.map { SealedBox.open($0, with: recipient) } == [[1], [2]])
  }

  @Test("boxes that the library's crypto_box_seal made open here")
  func libraryBoxes() throws {
    let recipient = try AgreementKey(secret: count32)
    let box = hex(
      "51db45fc9082de68ad250200523ea05b5912b33f4448045df3f688345643273c"
        + "95954b7c7ab8bebf57acea4cef9365eb44d868e49bb1aa948f")
    let empty = hex(
      "08cbd9c62ee4ac05d857883cc77f76a373f42320f602205f541fa89fbe527f76"
        + "36016964a4525abb6c298fd4cabcfd12")
    #expect(SealedBox.open(box, with: recipient) == Array("epoch key".utf8))
    #expect(SealedBox.open(empty, with: recipient) == [])
  }

  @Test("a sealed box opens for its recipient only, whole and unchanged")
  func sealedBoxRefusals() throws {
    let recipient = try AgreementKey(secret: count32)
    let ephemeral = try AgreementKey(secret: [UInt8](repeating: 5, count: 32))
    let box = try #require(
      SealedBox.seal(plaintext, to: recipient.publicKey, ephemeral: ephemeral))
    #expect(box.count == plaintext.count + SealedBox.overheadBytes)
    for index in box.indices {
      var changed = box
      changed[index] ^= 1
      #expect(SealedBox.open(changed, with: recipient) == nil)
      #expect(SealedBox.open(Array(box[..<index]), with: recipient) == nil)
    }
    #expect(SealedBox.open(box, with: ephemeral) == nil)
  }

  @Test("nothing is sealed to a key of small order, which anyone could open")
  func weakRecipient() throws {
    let ephemeral = try AgreementKey(secret: count32)
    let weak = AgreementPublicKey(raw: .zero)
    #expect(SealedBox.seal(plaintext, to: weak, ephemeral: ephemeral) == nil)
    #expect(SealedBox.open([UInt8](repeating: 0, count: 64), with: ephemeral) == nil)
  }
}
