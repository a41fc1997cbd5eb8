import MusterModel
import MusterSync

private let place = WritePosition(
  operation: OperationID(raw: Bytes16(high: 1, low: 2)),
  author: UserID(raw: Bytes16(high: 3, low: 4)),
  sequence: 1000)

/// The plaintext of a frame. Decoding and encoding it again gives the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let body = try? FrameBody(decoding: bytes, writesAt: place) else { return 0 }
  guard case .operations(let operations) = body.contents,
    operations.allSatisfy({ if case .write = $0 { true } else { false } })
  else { return 0 }
  let again = try? FrameBody(decoding: body.encoded(writesAt: place), writesAt: place)
  precondition(again == body, "a body changed when it was encoded again")
  return 0
}
