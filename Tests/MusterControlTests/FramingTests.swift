import NIOCore
import Testing

@testable import MusterControl

@Suite struct `Messages in a stream of bytes` {
  @Test func `messages are found wherever the stream is split`() throws {
    let messages: [[UInt8]] = [[1, 2, 3], [], [4]]
    let bytes = messages.flatMap { $0 + [UInt8(ascii: "\n")] }
    for step in 1...bytes.count {
      var reader = MessageReader(limit: 3)
      var found: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: step) {
        reader.take(ByteBuffer(bytes: bytes[start..<min(start + step, bytes.count)]))
        while let message = try reader.next() { found.append(message) }
      }
      #expect(found == messages)
    }
  }

  @Test func `a line over the limit is rejected before its end arrives`() throws {
    var reader = MessageReader(limit: 3)
    reader.take(ByteBuffer(bytes: [1, 2, 3]))
    #expect(try reader.next() == nil)
    reader.take(ByteBuffer(bytes: [4]))
    #expect(throws: ControlFault.tooLong(bytes: 4, limit: 3)) { try reader.next() }
  }
}
