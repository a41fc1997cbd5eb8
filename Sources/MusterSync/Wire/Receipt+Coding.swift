internal import MusterModel

/// The encoding of a receipt: the log, followed by the sequence and hash of its head if any frame
/// is stored.
extension Receipt {
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(log)
    if let head {
      precondition(head.sequence <= Limits.lastSequence, "sequence \(head.sequence)")
      writer.append(UInt32(head.sequence))
      writer.append(head.hash)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(bytes)
      let log = try reader.identifier(LogID.self)
      var head: Head?
      if reader.remaining > 0 {
        let sequence = UInt64(try reader.integer(UInt32.self))
        head = Head(log: log, sequence: sequence, hash: FrameHash(raw: try reader.bytes32()))
      }
      try reader.expectEnd()
      self.init(log: log, head: head)
    } catch {
      throw .malformed("receipt")
    }
  }
}
