import MusterModel
import MusterSync

/// The clear bodies: of frame 0 and of control frames.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let opening = try? Opening(decoding: bytes) {
    let again = try? Opening(decoding: opening.encoded())
    precondition(again == opening, "an opening changed when it was encoded again")
  }
  _ = try? FrameBody(decoding: bytes, writesAt: nil)
  return 0
}
