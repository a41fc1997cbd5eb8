internal import MusterModel
public import NIOCore

/// The framing of datagrams in the bodies of an uplink's request and response: each is preceded by
/// its length in two bytes, big-endian. A length of zero is a keepalive.
public struct UplinkFraming: Sendable {
  /// The beginning of an incomplete datagram.
  private var rest = ByteBuffer()

  /// Creates the parser of one body.
  public init() {}

  /// A keepalive.
  static let beat: [UInt8] = [0, 0]

  static func append(_ datagram: [UInt8], to buffer: inout ByteBuffer) {
    precondition(
      datagram.count <= Limits.largestDatagramBytes, "a datagram of \(datagram.count) bytes")
    buffer.writeInteger(UInt16(datagram.count))
    buffer.writeBytes(datagram)
  }

  /// Parses a piece of the body and returns the complete datagrams. At most one partial datagram is
  /// buffered.
  public mutating func read(_ piece: ByteBuffer) throws(UplinkFault) -> [[UInt8]] {
    var piece = piece
    rest.writeBuffer(&piece)
    var datagrams: [[UInt8]] = []
    while let length = rest.getInteger(at: rest.readerIndex, as: UInt16.self) {
      guard length <= Limits.largestDatagramBytes else { throw .rubbish }
      guard rest.readableBytes >= 2 + Int(length) else { break }
      rest.moveReaderIndex(forwardBy: 2)
      if length > 0, let bytes = rest.readBytes(length: Int(length)) { datagrams.append(bytes) }
    }
    rest.discardReadBytes()
    return datagrams
  }
}

/// The reason why an uplink ended or failed.
public enum UplinkFault: Error, Hashable, Sendable {
  /// The received data is not valid uplink framing.
  case rubbish
  /// Nothing was received for too long, not even a keepalive.
  case silent
  /// The other end did not authenticate as a member of this operation.
  case stranger
  /// The other end, or this node, closed it.
  case ended
  /// The server returned this HTTP status.
  case status(UInt)
}
