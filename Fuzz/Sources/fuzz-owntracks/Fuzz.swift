import MusterLocation

/// What OwnTracks posts, without the headers that name the phone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? OwnTracksMessage.read(bytes, user: nil, device: nil)
  return 0
}
