/// Builds the canonical byte forms that are hashed, signed or stored: big-endian, lengths before
/// contents, nothing optional without a mark.
public struct ByteWriter: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  public mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  public mutating func append(_ raw: Bytes16) {
    append(raw.high)
    append(raw.low)
  }

  public mutating func append(_ raw: Bytes32) {
    append(raw.prefix)
    append(raw.suffix)
  }

  public mutating func append(_ identifier: some Identifier) { append(identifier.raw) }

  public mutating func append(_ digest: some Digest32) { append(digest.raw) }

  public mutating func append(_ dot: Dot) {
    append(dot.frame)
    append(dot.index)
  }

  public mutating func append(fixed contents: [UInt8]) { bytes.append(contentsOf: contents) }

  /// A 32-bit length, then the contents.
  public mutating func append(lengthPrefixed contents: [UInt8]) {
    append(UInt32(contents.count))
    bytes.append(contentsOf: contents)
  }

  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 {
      append(UInt32($0.count))
      bytes.append(contentsOf: $0)
    }
  }
}
