/// Builds the canonical byte forms that are hashed, signed or stored: big-endian, lengths before
/// contents, nothing optional without a mark.
public struct ByteWriter: Sendable {
  /// All that was written so far: the form itself.
  public private(set) var bytes: [UInt8] = []

  /// Begins with no bytes.
  public init() {}

  /// One byte as it is.
  public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Big-endian, two's complement where signed, as wide as its type: the caller MUST name a type of
  /// fixed width, since `Int` is not equally wide everywhere.
  public mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Sixteen bytes, without a length.
  public mutating func append(_ raw: Bytes16) {
    append(raw.high)
    append(raw.low)
  }

  /// Thirty-two bytes, without a length.
  public mutating func append(_ raw: Bytes32) {
    append(raw.prefix)
    append(raw.suffix)
  }

  /// Sixteen bytes; which kind of name it is stays unsaid.
  public mutating func append(_ identifier: some Identifier) { append(identifier.raw) }

  /// Thirty-two bytes; which kind of hash it is stays unsaid.
  public mutating func append(_ digest: some Digest32) { append(digest.raw) }

  /// Eighteen bytes: the frame, then the index.
  public mutating func append(_ dot: Dot) {
    append(dot.frame)
    append(dot.index)
  }

  /// Bytes without a length: for what always has the same width, or comes last.
  public mutating func append(fixed contents: [UInt8]) { bytes.append(contentsOf: contents) }

  /// A 32-bit length, then the contents.
  public mutating func append(lengthPrefixed contents: [UInt8]) {
    append(UInt32(contents.count))
    bytes.append(contentsOf: contents)
  }

  /// A 32-bit length in bytes, then UTF-8, not normalised.
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 {
      append(UInt32($0.count))
      bytes.append(contentsOf: $0)
    }
  }
}
