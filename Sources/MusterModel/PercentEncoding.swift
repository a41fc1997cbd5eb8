/// Percent-encoding (RFC 3986 2.1) as people and programs write it.
public enum PercentEncoding {
  /// Returns the bytes that are meant. Broken percent signs stay as they are.
  public static func decoded(_ encoded: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(encoded)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = Hex.value(of: rest[rest.startIndex]),
        let low = Hex.value(of: rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
