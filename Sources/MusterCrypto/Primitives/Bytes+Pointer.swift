import MusterModel

extension Bytes16 {
  /// Reads sixteen bytes without an intermediate array.
  init(reading pointer: UnsafePointer<UInt8>) {
    let source = UnsafeRawPointer(pointer)
    self.init(
      high: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }
}

extension Bytes32 {
  /// Reads thirty-two bytes without an intermediate array.
  init(reading pointer: UnsafePointer<UInt8>) {
    self.init(prefix: Bytes16(reading: pointer), suffix: Bytes16(reading: pointer + 16))
  }

  /// Passes the bytes in order. The pointer MUST NOT outlive `body`.
  func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    let words = (
      prefix.high.bigEndian, prefix.low.bigEndian, suffix.high.bigEndian, suffix.low.bigEndian
    )
    return withUnsafeBytes(of: words) { body($0.bindMemory(to: UInt8.self).baseAddress!) }
  }
}
