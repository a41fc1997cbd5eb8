import FuzzStage

private let stage = Stage()

/// A story of datagrams: from a stranger, from a member, in a session, announced.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  stage.deliver(story: Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
