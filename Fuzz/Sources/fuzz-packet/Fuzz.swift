import FuzzStage

private let stage = Stage()

/// One packet in a member's session, and one announce that a member signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  stage.deliver(bytes, by: .session)
  stage.deliver(bytes, by: .announce)
  return 0
}
