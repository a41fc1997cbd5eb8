import MusterModel
import Testing

@testable import MusterCrypto

@Suite("A Noise handshake")
struct NoiseHandshakeTests {
  let networkKey = [UInt8](repeating: 0x11, count: 32)
  let operation = Array("operation".utf8)
  let payloads = ["chain of the first", "chain of the second", ""].map { Array($0.utf8) }

  /// One side, its keys drawn from a seed of its own.
  func side(
    _ role: NoiseHandshake.Role, pattern: NoisePattern = .xxpsk0, prologue: [UInt8]? = nil,
    preSharedKey: [UInt8]? = nil
  ) throws -> NoiseHandshake {
    var random = DeterministicRandom(
      seed: [UInt8](repeating: role == .initiator ? 1 : 2, count: 32))
    return try NoiseHandshake(
      role: role, pattern: pattern, prologue: prologue ?? operation,
      staticKey: random.agreementKey(), ephemeralKey: random.agreementKey(),
      preSharedKey: pattern == .xx ? nil : preSharedKey ?? networkKey)
  }

  /// Both sides before the message of that number, and that message.
  func exchange(
    upTo number: Int
  ) throws -> (writer: NoiseHandshake, reader: NoiseHandshake, message: [UInt8]) {
    var (writer, reader) = (try side(.initiator), try side(.responder))
    for payload in payloads.prefix(number) {
      let read = try reader.readMessage(writer.writeMessage(payload: payload))
      #expect(read == payload)
      swap(&writer, &reader)
    }
    let message = try writer.writeMessage(payload: payloads[number])
    return (writer, reader, message)
  }

  @Test("with the network key introduces both sides and makes keys that fit")
  func roundTrip() throws {
    // Given a handshake of which the last message is on its way
    var (initiator, responder, message) = try exchange(upTo: 2)
    #expect(initiator.isComplete && !responder.isComplete)

    // When it arrives
    let payload = try responder.readMessage(message)

    // Then both are done and know the session by one name
    #expect(payload == payloads[2])
    #expect(responder.isComplete)
    #expect(initiator.handshakeHash == responder.handshakeHash)
    #expect(initiator.handshakeHash.count == 64)

    // And what one seals the other opens, in each direction under its own key
    let (near, far) = (initiator.split(), responder.split())
    let sealed = near.send.seal([1, 2, 3], counter: 0, additionalData: [])
    #expect(far.receive.open(sealed, counter: 0, additionalData: []) == [1, 2, 3])
    #expect(far.send.open(sealed, counter: 0, additionalData: []) == nil)
    let answer = far.send.seal([4], counter: 7, additionalData: [9])
    #expect(near.receive.open(answer, counter: 7, additionalData: [9]) == [4])

    // And the handshake is complete
    #expect(throws: NoiseError.outOfTurn) { try initiator.writeMessage(payload: []) }
    #expect(throws: NoiseError.outOfTurn) { try responder.readMessage(message) }
  }

  @Test("refuses a message with any bit changed, and then takes the genuine one", arguments: 0..<3)
  func mutations(number: Int) throws {
    // Given a message on its way
    var (_, reader, message) = try exchange(upTo: number)
    let hash = reader.handshakeHash

    // When it arrives with one bit changed, whichever, it is refused
    for index in message.indices {
      for bit in 0..<8 where number == 0 || bit == index % 8 {
        var changed = message
        changed[index] ^= 1 << UInt8(bit)
        #expect(throws: NoiseError.self, "byte \(index), bit \(bit)") {
          try reader.readMessage(changed)
        }
      }
    }

    // And so it is cut short or made longer
    for length in message.indices {
      #expect(throws: NoiseError.self, "\(length) bytes") {
        try reader.readMessage(Array(message[..<length]))
      }
    }
    #expect(throws: NoiseError.notAuthentic) { try reader.readMessage(message + [0]) }

    // Then the handshake has not noticed, and goes on
    #expect(reader.handshakeHash == hash)
    let payload = try reader.readMessage(message)
    #expect(payload == payloads[number])
  }

  @Test("learns no key from a message that it refused")
  func refusedStatic() throws {
    var (_, reader, message) = try exchange(upTo: 1)
    message[message.count - 1] ^= 1
    #expect(throws: NoiseError.notAuthentic) { try reader.readMessage(message) }
    #expect(reader.remoteStaticKey == nil)
  }

  @Test("meets strangers with silence: another network key, operation or pattern")
  func strangers() throws {
    let strangers = [
      try side(.initiator, preSharedKey: [UInt8](repeating: 0x12, count: 32)),
      try side(.initiator, prologue: Array("another".utf8)),
      try side(.initiator, pattern: .xx),
      try side(.initiator, pattern: .xx(preSharedKeysAt: [1])),
    ]
    var responder = try side(.responder)
    for var stranger in strangers {
      let message = try stranger.writeMessage(payload: Array(repeating: 0, count: 64))
      #expect(throws: NoiseError.notAuthentic) { try responder.readMessage(message) }
    }
    var member = try side(.initiator)
    let payload = try responder.readMessage(member.writeMessage(payload: payloads[0]))
    #expect(payload == payloads[0])
  }

  @Test("refuses a side's own messages thrown back at it, and messages out of turn")
  func turns() throws {
    var initiator = try side(.initiator)
    var responder = try side(.responder)
    #expect(throws: NoiseError.outOfTurn) { try responder.writeMessage(payload: []) }
    #expect(throws: NoiseError.outOfTurn) { try initiator.readMessage([]) }
    let message = try initiator.writeMessage(payload: [])
    #expect(throws: NoiseError.outOfTurn) { try initiator.writeMessage(payload: []) }
    #expect(throws: NoiseError.self) { try initiator.readMessage(message) }
    let payload = try responder.readMessage(message)
    #expect(payload == [])
  }

  @Test("refuses an ephemeral key of small order, which would agree on zero")
  func weakKeys() throws {
    // Given an initiator whose first message carries such a key and is otherwise in order, which
    // a pattern without a pre-shared key lets anyone make
    var responder = try side(.responder, pattern: .xx)
    let read = try responder.readMessage([UInt8](repeating: 0, count: 32))
    #expect(read == [])

    // Then no answer is written
    #expect(throws: NoiseError.weakKey) { try responder.writeMessage(payload: []) }
    #expect(responder.isTurnToWrite)
  }

  @Test("carries payloads up to 65,535 bytes a message, and fails beyond")
  func lengths() throws {
    var initiator = try side(.initiator)
    var responder = try side(.responder)
    let room = NoiseHandshake.maximumMessageBytes - 32 - SessionKey.overheadBytes
    for length in [room + 1, NoiseHandshake.maximumMessageBytes + 1] {
      #expect(throws: NoiseError.wrongLength) {
        try initiator.writeMessage(payload: [UInt8](repeating: 0, count: length))
      }
    }
    let largest = [UInt8](repeating: 7, count: room)
    let message = try initiator.writeMessage(payload: largest)
    #expect(throws: NoiseError.wrongLength) { try responder.readMessage(message + [0]) }
    let payload = try responder.readMessage(message)
    #expect(payload == largest)
  }

  @Test("takes exactly the pre-shared keys of its pattern")
  func preSharedKeys() throws {
    let key = try AgreementKey(secret: networkKey)
    func make(_ pattern: NoisePattern, _ keys: [[UInt8]]) throws {
      _ = try NoiseHandshake(
        role: .initiator, pattern: pattern, prologue: [], staticKey: key, ephemeralKey: key,
        preSharedKeys: keys)
    }
    #expect(throws: NoiseError.wrongPreSharedKeys) { try make(.xxpsk0, []) }
    #expect(throws: NoiseError.wrongPreSharedKeys) { try make(.xx, [networkKey]) }
    #expect(throws: NoiseError.wrongPreSharedKeys) { try make(.xxpsk0, [[1, 2, 3]]) }
    try make(.xx(preSharedKeysAt: [0, 3]), [networkKey, networkKey])
  }

  /// No BLAKE2b vector of XXpsk0 is published. These were made by a second implementation,
  /// written from the specification in another language over another library.
  @Test("with the network key matches another implementation")
  func golden() throws {
    let (first, second, third) = (
      try exchange(upTo: 0), try exchange(upTo: 1), try exchange(upTo: 2)
    )
    let transcript = Blake2b.hash256(first.message, second.message, third.message)
    #expect(
      Hex.encode(transcript.bytes)
        == "c7d35e46d328de19b2d5397900ddcb6737584b68fde22553d3a12d0f64474b71")
    #expect(
      Hex.encode(third.writer.handshakeHash.prefix(32))
        == "9fe6186bcb3066d466f95cc1f2380689a7a4f84dd59a5d176681e3c6e611ed27")
  }
}
