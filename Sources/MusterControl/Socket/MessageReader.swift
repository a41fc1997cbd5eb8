internal import NIOCore

/// Takes whole messages out of the pieces of a follower's answer: four bytes of length,
/// big-endian, then as many bytes. A length over the limit is refused before anything is allocated
/// for it.
struct MessageReader {
  let limit: Int
  private var bytes = ByteBuffer()

  init(limit: Int) { self.limit = limit }

  mutating func take(_ piece: ByteBuffer) {
    bytes.discardReadBytes()
    bytes.writeImmutableBuffer(piece)
  }

  /// Nil until more has come.
  mutating func next() throws(ControlFault) -> [UInt8]? {
    guard let length = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self) else {
      return nil
    }
    guard length <= limit else { throw .tooLong(bytes: Int(length), limit: limit) }
    guard bytes.readableBytes >= 4 + Int(length) else { return nil }
    bytes.moveReaderIndex(forwardBy: 4)
    return bytes.readBytes(length: Int(length))
  }
}
