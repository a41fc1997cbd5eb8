internal import NIOCore

/// Splits the parts of a streamed response into messages: one a line. A line over the limit is
/// rejected before more of it is stored.
struct MessageReader {
  let limit: Int
  private var bytes = ByteBuffer()
  /// The number of readable bytes known to contain no line end.
  private var searched = 0

  init(limit: Int) { self.limit = limit }

  mutating func take(_ piece: ByteBuffer) {
    bytes.discardReadBytes()
    bytes.writeImmutableBuffer(piece)
  }

  /// Returns the next message; nil until more bytes arrive.
  mutating func next() throws(ControlFault) -> [UInt8]? {
    let unsearched = bytes.readableBytesView.dropFirst(searched)
    let end = unsearched.firstIndex(of: UInt8(ascii: "\n"))
    let length = (end ?? bytes.writerIndex) - bytes.readerIndex
    guard length <= limit else { throw .tooLong(bytes: length, limit: limit) }
    guard end != nil else {
      searched = length
      return nil
    }
    searched = 0
    defer { bytes.moveReaderIndex(forwardBy: 1) }
    return bytes.readBytes(length: length)
  }
}
