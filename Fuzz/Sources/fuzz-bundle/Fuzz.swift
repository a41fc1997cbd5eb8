import FuzzStage

private let stage = Stage()

/// A memory stick: the bytes as a file, and as what a member sealed into the pieces of one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  stage.carry(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
