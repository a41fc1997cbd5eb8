import MusterModel

/// A notice as command publishes it, and the opened note of a device. Decoding and encoding either
/// again gives the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let notice = try? ExposureNotice(decoding: bytes) {
    precondition(notice.fault == nil, "a notice that replicas reject was decoded")
    precondition(notice.encoded() == bytes, "a notice changed when it was encoded again")
  }
  // A note has one length, and ends with zeros.
  let length = Limits.proximityNoteBytes
  let padded = Array(bytes.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - count))
  if let note = try? ProximityNote(decoding: padded) {
    let again = try? ProximityNote(decoding: note.encoded())
    precondition(again == note, "a note changed when it was encoded again")
  }
  return 0
}
