import MusterLocation

/// NMEA sentences, by a serial line and by datagrams. The sum is put in where a line ends without
/// one, or next to nothing would come past it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var decoder = NMEADecoder()
  for line in bytes.split(separator: 0x0A) {
    let sum = String(line.reduce(0, ^), radix: 16)
    _ = decoder.take([0x24] + line + Array("*\(sum.count < 2 ? "0" : "")\(sum)\n".utf8))
  }
  _ = decoder.take(datagram: bytes)
  _ = decoder.finish()
  return 0
}
