import NIOCore
import Testing

@testable import MusterControl

@Suite struct `Messages in a stream of bytes` {
  @Test func `two messages are found however the stream is cut`() throws {
    let messages: [[UInt8]] = [[1, 2, 3], [], [4]]
    var stream = ByteBuffer()
    for message in messages { try MessageEncoder().encode(data: message, out: &stream) }
    let bytes = Array(stream.readableBytesView)
    for step in 1...bytes.count {
      let decoder = MessageDecoder(limit: 3)
      var buffer = ByteBuffer()
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: step) {
        buffer.writeBytes(bytes[start..<min(start + step, bytes.count)])
        while let message = try decoder.decode(buffer: &buffer) { found.append(message) }
      }
      #expect(found == messages)
    }
  }

  @Test func `a length over the limit is refused before its bytes arrive`() {
    let decoder = MessageDecoder(limit: 3)
    var buffer = ByteBuffer(bytes: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(throws: ControlFault.tooLong(bytes: 0xFFFF_FFFF, limit: 3)) {
      try decoder.decode(buffer: &buffer)
    }
  }
}
