import Foundation
import MusterLocation

/// A GPX file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let track = try? GPXTrack.parse(Data(bytes: start, count: count)) else { return 0 }
  _ = track.fixes(startingAt: .init(milliseconds: 0))
  return 0
}
