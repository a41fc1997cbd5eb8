import MusterLocation

/// The output of a gpsd, split into lines.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var splitter = LineSplitter(longest: GpsdReport.longestLine)
  let lines = splitter.take(UnsafeBufferPointer(start: start, count: count)) + splitter.finish()
  for line in lines { _ = line.map(GpsdReport.init(line:)) }
  return 0
}
