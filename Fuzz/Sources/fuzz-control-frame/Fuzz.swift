import MusterSync

/// The clear bodies: of frame 0 and of control frames.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let opening = try? Opening(decoding: bytes) {
    let again = try? Opening(decoding: opening.encoded())
    precondition(again == opening, "an opening changed by being written anew")
  }
  if let body = try? FrameBody(decoding: bytes, writesAt: nil) {
    _ = try? FrameBody(decoding: body.encoded(writesAt: nil), writesAt: nil)
  }
  return 0
}
