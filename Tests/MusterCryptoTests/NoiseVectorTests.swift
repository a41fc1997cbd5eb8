import MusterModel
import Testing

@testable import MusterCrypto

@Suite(
  "Published Noise handshakes",
  .enabled(if: SharedVectors.areHere, Comment(rawValue: SharedVectors.absent)))
struct NoiseVectorTests {
  struct File: Decodable { let vectors: [Vector] }

  struct Vector: Decodable {
    struct Message: Decodable { let payload, ciphertext: HexBytes }
    let protocol_name: String
    let init_prologue, init_static, init_ephemeral: HexBytes
    let resp_prologue, resp_static, resp_ephemeral: HexBytes
    let init_psks, resp_psks: [HexBytes]?
    let handshake_hash: HexBytes?
    let messages: [Message]
  }

  /// The pattern of which this is the protocol name, found by its modifiers.
  func pattern(of protocolName: String) throws -> NoisePattern {
    let all = (0..<16).map { mask in
      NoisePattern.xx(preSharedKeysAt: (0..<4).filter { mask & (1 << $0) != 0 })
    }
    return try #require(all.first { $0.protocolName == protocolName }, "\(protocolName)")
  }

  @Test("are reproduced byte for byte, and the session after them")
  func vectors() throws {
    let file = try SharedVectors.load(
      "noise-25519-chachapoly-blake2b.json", as: File.self)
    #expect(file.vectors.count >= 4)
    for vector in file.vectors {
      try replay(vector)
    }
  }

  func replay(_ vector: Vector) throws {
    // Given both sides
    let pattern = try pattern(of: vector.protocol_name)
    var initiator = try NoiseHandshake(
      role: .initiator, pattern: pattern, prologue: vector.init_prologue.bytes,
      staticKey: AgreementKey(secret: vector.init_static.bytes),
      ephemeralKey: AgreementKey(secret: vector.init_ephemeral.bytes),
      preSharedKeys: vector.init_psks?.map(\.bytes) ?? [])
    var responder = try NoiseHandshake(
      role: .responder, pattern: pattern, prologue: vector.resp_prologue.bytes,
      staticKey: AgreementKey(secret: vector.resp_static.bytes),
      ephemeralKey: AgreementKey(secret: vector.resp_ephemeral.bytes),
      preSharedKeys: vector.resp_psks?.map(\.bytes) ?? [])

    // When they take turns, then every message is the published one, and is understood
    let name = vector.protocol_name
    for message in vector.messages.prefix(3) {
      let (written, read): ([UInt8], [UInt8])
      if initiator.isTurnToWrite {
        written = try initiator.writeMessage(payload: message.payload.bytes)
        read = try responder.readMessage(written)
      } else {
        written = try responder.writeMessage(payload: message.payload.bytes)
        read = try initiator.readMessage(written)
      }
      #expect(written == message.ciphertext.bytes, "\(name)")
      #expect(read == message.payload.bytes, "\(name)")
    }

    // And both know each other, and name the session alike
    #expect(initiator.isComplete && responder.isComplete)
    #expect(
      try initiator.remoteStaticKey == AgreementKey(secret: vector.resp_static.bytes).publicKey)
    #expect(
      try responder.remoteStaticKey == AgreementKey(secret: vector.init_static.bytes).publicKey)
    #expect(initiator.handshakeHash == responder.handshakeHash)
    if let hash = vector.handshake_hash { #expect(initiator.handshakeHash == hash.bytes) }

    // And the session's messages are the published ones too: the responder's turn is next
    let keys = (initiator.split(), responder.split())
    for (index, message) in vector.messages.dropFirst(3).enumerated() {
      let isInitiators = !index.isMultiple(of: 2)
      let sender = isInitiators ? keys.0.send : keys.1.send
      let receiver = isInitiators ? keys.1.receive : keys.0.receive
      let counter = UInt64(index / 2)
      let sealed = sender.seal(message.payload.bytes, counter: counter, additionalData: [])
      #expect(sealed == message.ciphertext.bytes, "\(name), transport message \(index)")
      #expect(
        receiver.open(sealed, counter: counter, additionalData: []) == message.payload.bytes)
    }
  }
}
