/// The reason why bytes are not a valid canonical encoding.
public enum DecodingFault: Error, Hashable, Sendable {
  case truncated
  case trailingBytes
  /// A number, code or text that this encoding does not allow.
  case invalid(String)
}

/// Reads what `ByteWriter` wrote. Every length is checked against the remaining bytes before
/// anything is allocated.
public struct ByteReader: Sendable {
  @usableFromInline let bytes: ArraySlice<UInt8>
  @usableFromInline var position: Int

  /// Starts at the first byte.
  public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Starts at the slice's first byte, so that a form within another is read without copying.
  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The number of unread bytes.
  @inlinable public var remaining: Int { bytes.endIndex - position }

  /// Throws if bytes are left over. MUST be called after the last field: trailing bytes would give
  /// one value two encodings.
  public func expectEnd() throws(DecodingFault) {
    if remaining != 0 { throw .trailingBytes }
  }

  /// Reads the next `count` bytes. Throws, and reads nothing, if fewer remain.
  public mutating func fixed(_ count: Int) throws(DecodingFault) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Reads a big-endian integer as wide as its type, at most eight bytes; two's complement if
  /// signed.
  @inlinable
  public mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws(DecodingFault) -> T {
    let width = T.bitWidth / 8
    guard width <= remaining else { throw .truncated }
    var value: UInt64 = 0
    for index in position..<position + width { value = value << 8 | UInt64(bytes[index]) }
    position += width
    return T(truncatingIfNeeded: value)
  }

  /// Reads sixteen bytes without a length prefix.
  @inlinable public mutating func bytes16() throws(DecodingFault) -> Bytes16 {
    Bytes16(high: try integer(UInt64.self), low: try integer(UInt64.self))
  }

  /// Reads thirty-two bytes without a length prefix.
  @inlinable public mutating func bytes32() throws(DecodingFault) -> Bytes32 {
    Bytes32(prefix: try bytes16(), suffix: try bytes16())
  }

  /// Reads sixteen bytes as an identifier of the given type; the bytes do not state their type.
  @inlinable public mutating func identifier<T: Identifier>(_ type: T.Type) throws(DecodingFault)
    -> T
  {
    T(raw: try bytes16())
  }

  /// Reads eighteen bytes: the frame, then the index.
  @inlinable public mutating func dot() throws(DecodingFault) -> Dot {
    Dot(frame: try bytes16(), index: try integer(UInt16.self))
  }

  /// Reads a count of elements of at least `width` bytes each, and rejects more than could remain.
  @inlinable public mutating func count(ofAtLeast width: Int) throws(DecodingFault) -> Int {
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / max(1, width) else { throw .truncated }
    return count
  }

  /// Reads a 32-bit length and as many bytes.
  public mutating func lengthPrefixed() throws(DecodingFault) -> [UInt8] {
    try fixed(count(ofAtLeast: 1))
  }

  /// Reads length-prefixed UTF-8. Ill-formed text is rejected, not repaired, so that the text read
  /// is the text that was signed.
  public mutating func text() throws(DecodingFault) -> String {
    guard let text = String(validating: try lengthPrefixed(), as: UTF8.self) else {
      throw .invalid("text is not UTF-8")
    }
    return text
  }
}
