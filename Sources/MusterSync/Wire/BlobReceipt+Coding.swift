internal import MusterModel

/// The encoding of a receipt for blobs: log, sequence, then the exceptions.
extension BlobReceipt {
  func encoded() -> [UInt8] {
    precondition(sequence <= Limits.lastSequence, "sequence \(sequence)")
    precondition(missing.count <= Limits.blobExceptions, "\(missing.count) exceptions")
    var writer = ByteWriter()
    writer.append(log)
    writer.append(UInt32(sequence))
    for blob in missing { writer.append(blob) }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(bytes)
      let log = try reader.identifier(LogID.self)
      let sequence = UInt64(try reader.integer(UInt32.self))
      guard reader.remaining <= 16 * Limits.blobExceptions else {
        throw DecodingFault.trailingBytes
      }
      var missing: [BlobID] = []
      while reader.remaining > 0 {
        let blob = try reader.identifier(BlobID.self)
        guard missing.last.map({ $0 < blob }) ?? true else {
          throw DecodingFault.invalid("order of exceptions")
        }
        missing.append(blob)
      }
      self.init(log: log, sequence: sequence, missing: missing)
    } catch {
      throw .malformed("blob receipt")
    }
  }
}
