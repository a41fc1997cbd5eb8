/// Builds the canonical byte forms that are hashed, signed or stored: big-endian, lengths before
/// contents, nothing optional without a mark.
public struct ByteWriter: Sendable {
  /// All that was written so far: the form itself.
  @inlinable public var bytes: [UInt8] { storage }
  @usableFromInline var storage: [UInt8] = []

  /// Begins with no bytes.
  public init() {}

  /// Begins with no bytes, and with room for so many, so that it need not grow.
  public init(reservingCapacity count: Int) { storage.reserveCapacity(count) }

  /// One byte as it is.
  @inlinable
  public mutating func append(_ byte: UInt8) { storage.append(byte) }

  /// Big-endian, two's complement where signed, as wide as its type: the caller MUST name a type of
  /// fixed width, since `Int` is not equally wide everywhere.
  @inlinable
  public mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { storage.append(contentsOf: $0) }
  }

  /// Sixteen bytes, without a length.
  @inlinable
  public mutating func append(_ raw: Bytes16) {
    append(raw.high)
    append(raw.low)
  }

  /// Thirty-two bytes, without a length.
  @inlinable
  public mutating func append(_ raw: Bytes32) {
    append(raw.prefix)
    append(raw.suffix)
  }

  /// Sixteen bytes; which kind of name it is stays unsaid.
  @inlinable
  public mutating func append(_ identifier: some Identifier) { append(identifier.raw) }

  /// Thirty-two bytes; which kind of hash it is stays unsaid.
  @inlinable
  public mutating func append(_ digest: some Digest32) { append(digest.raw) }

  /// Eighteen bytes: the frame, then the index.
  @inlinable
  public mutating func append(_ dot: Dot) {
    append(dot.frame)
    append(dot.index)
  }

  /// Bytes without a length: for what always has the same width, or comes last.
  @inlinable
  public mutating func append(fixed contents: [UInt8]) { storage.append(contentsOf: contents) }

  /// A 32-bit length, then the contents.
  @inlinable
  public mutating func append(lengthPrefixed contents: [UInt8]) {
    append(UInt32(contents.count))
    storage.append(contentsOf: contents)
  }

  /// A 32-bit length in bytes, then UTF-8, not normalised.
  @inlinable
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 {
      append(UInt32($0.count))
      storage.append(contentsOf: $0)
    }
  }
}
