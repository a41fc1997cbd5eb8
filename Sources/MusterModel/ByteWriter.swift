/// Builds the canonical encodings that are hashed, signed or stored: big-endian, lengths before
/// contents, a presence flag before each optional value.
public struct ByteWriter: Sendable {
  /// The bytes written so far.
  @inlinable public var bytes: [UInt8] { storage }
  @usableFromInline var storage: [UInt8] = []

  /// Creates an empty writer.
  public init() {}

  /// Creates an empty writer that reserves `count` bytes.
  public init(reservingCapacity count: Int) { storage.reserveCapacity(count) }

  /// Appends one byte.
  @inlinable
  public mutating func append(_ byte: UInt8) { storage.append(byte) }

  /// Appends a big-endian integer, two's complement if signed, as wide as its type. The caller MUST
  /// use a type of fixed width, since the width of `Int` depends on the platform.
  @inlinable
  public mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { storage.append(contentsOf: $0) }
  }

  /// Appends sixteen bytes without a length prefix.
  @inlinable
  public mutating func append(_ raw: Bytes16) {
    withUnsafeBytes(of: (raw.high.bigEndian, raw.low.bigEndian)) {
      storage.append(contentsOf: $0)
    }
  }

  /// Appends thirty-two bytes without a length prefix.
  @inlinable
  public mutating func append(_ raw: Bytes32) {
    append(raw.prefix)
    append(raw.suffix)
  }

  /// Appends sixteen bytes; the type of the identifier is not encoded.
  @inlinable
  public mutating func append(_ identifier: some Identifier) { append(identifier.raw) }

  /// Appends thirty-two bytes; the type of the hash is not encoded.
  @inlinable
  public mutating func append(_ digest: some Digest32) { append(digest.raw) }

  /// Appends eighteen bytes: the frame, then the index.
  @inlinable
  public mutating func append(_ dot: Dot) {
    append(dot.frame)
    append(dot.index)
  }

  /// Appends bytes without a length prefix, for a field of fixed width or the last field.
  @inlinable
  public mutating func append(fixed contents: [UInt8]) { storage.append(contentsOf: contents) }

  /// Appends a 32-bit length and the contents.
  @inlinable
  public mutating func append(lengthPrefixed contents: [UInt8]) {
    append(UInt32(contents.count))
    storage.append(contentsOf: contents)
  }

  /// Appends a 32-bit length in bytes and UTF-8, without normalization.
  @inlinable
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 {
      append(UInt32($0.count))
      storage.append(contentsOf: $0)
    }
  }
}
