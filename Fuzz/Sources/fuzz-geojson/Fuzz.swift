import Foundation
import MusterInterchange

/// A GeoJSON file. What is read can be shown.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  _ = try? GeoJSON.read(Data(bytes: start, count: count))
  return 0
}
