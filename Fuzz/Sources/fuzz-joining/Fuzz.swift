import MusterSync

/// What comes by URL or memory stick: invitations, join requests, grants.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  _ = try? Invitation(decoding: bytes)
  _ = try? JoinRequestFile(decoding: bytes)
  _ = try? JoinGrantFile(decoding: bytes)
  _ = try? JoinGrant(decoding: bytes)
  return 0
}
