internal import MusterModel
public import NIOCore

/// How datagrams stand in the body of an uplink's request, and of its answer: each after its length
/// in two bytes, big-endian. A length of zero says nothing but that somebody is there.
public struct UplinkFraming: Sendable {
  /// What begins a packet and is not whole yet.
  private var rest = ByteBuffer()

  /// One body has one reader.
  public init() {}

  /// That somebody is there.
  static let beat: [UInt8] = [0, 0]

  static func append(_ datagram: [UInt8], to buffer: inout ByteBuffer) {
    precondition(datagram.count <= Limits.datagramBytes, "a datagram of \(datagram.count) bytes")
    buffer.writeInteger(UInt16(datagram.count))
    buffer.writeBytes(datagram)
  }

  /// Takes a piece of the body, and gives the datagrams that are whole by now. At most one datagram
  /// is kept for later.
  public mutating func read(_ piece: ByteBuffer) throws(UplinkFault) -> [[UInt8]] {
    var piece = piece
    rest.writeBuffer(&piece)
    var datagrams: [[UInt8]] = []
    while let length = rest.getInteger(at: rest.readerIndex, as: UInt16.self) {
      guard length <= Limits.datagramBytes else { throw .rubbish }
      guard rest.readableBytes >= 2 + Int(length) else { break }
      rest.moveReaderIndex(forwardBy: 2)
      if length > 0, let bytes = rest.readBytes(length: Int(length)) { datagrams.append(bytes) }
    }
    rest.discardReadBytes()
    return datagrams
  }
}

/// Why an uplink ended, or never stood.
public enum UplinkFault: Error, Hashable, Sendable {
  /// What comes is not what a command post says.
  case rubbish
  /// Nothing came for a while, not even that somebody is there.
  case silent
  /// Nobody at the other end proved to belong to this operation.
  case stranger
  /// The other end, or this node, ended it.
  case ended
  /// The server answered with this status instead.
  case status(UInt)
}
