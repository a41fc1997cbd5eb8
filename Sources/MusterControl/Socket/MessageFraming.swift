internal import NIOCore

/// Takes whole messages out of a stream of bytes: four bytes of length, big-endian, then as many
/// bytes of Protocol Buffers. A length over the limit ends the connection before anything is
/// allocated for it.
struct MessageDecoder: NIOSingleStepByteToMessageDecoder {
  typealias InboundOut = [UInt8]

  let limit: Int

  func decode(buffer: inout ByteBuffer) throws -> [UInt8]? {
    guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else {
      return nil
    }
    guard length <= limit else {
      throw ControlFault.tooLong(bytes: Int(length), limit: limit)
    }
    guard buffer.readableBytes >= 4 + Int(length) else { return nil }
    buffer.moveReaderIndex(forwardBy: 4)
    return buffer.readBytes(length: Int(length))
  }

  func decodeLast(buffer: inout ByteBuffer, seenEOF: Bool) throws -> [UInt8]? {
    try decode(buffer: &buffer)
  }
}

/// The other direction. What is too long is found out before it gets here.
struct MessageEncoder: MessageToByteEncoder {
  typealias OutboundIn = [UInt8]

  func encode(data: [UInt8], out: inout ByteBuffer) throws {
    out.writeInteger(UInt32(data.count))
    out.writeBytes(data)
  }
}

/// A connection of whole messages.
typealias MessageChannel = NIOAsyncChannel<[UInt8], [UInt8]>

extension Channel {
  /// MUST be called on the channel's event loop, as a bootstrap's initializer does.
  func messages(upTo limit: Int) throws -> MessageChannel {
    try pipeline.syncOperations.addHandlers([
      ByteToMessageHandler(MessageDecoder(limit: limit)),
      MessageToByteHandler(MessageEncoder()),
    ])
    return try MessageChannel(wrappingChannelSynchronously: self)
  }
}
