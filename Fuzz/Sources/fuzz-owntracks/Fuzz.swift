import MusterLocation

/// What OwnTracks and Traccar Client post as JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? PhoneMessages.json(bytes)
  return 0
}
