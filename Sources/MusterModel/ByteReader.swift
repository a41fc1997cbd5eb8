/// What is wrong with bytes that should have been a canonical form.
public enum DecodingFault: Error, Hashable, Sendable {
  case truncated
  case trailingBytes
  /// A number, a code or a text that this form does not allow.
  case invalid(String)
}

/// Reads what `ByteWriter` wrote. Every length is checked against what is left before anything is
/// allocated.
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

  /// Bytes not read yet.
  @inlinable public var remaining: Int { bytes.endIndex - position }

  /// To be called after the last field: bytes left over would give one value two forms.
  public func expectEnd() throws(DecodingFault) {
    if remaining != 0 { throw .trailingBytes }
  }

  /// The next `count` bytes; asking for more than are left throws and reads none.
  public mutating func fixed(_ count: Int) throws(DecodingFault) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Big-endian, two's complement where signed, as wide as the type: at most eight bytes.
  @inlinable
  public mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws(DecodingFault) -> T {
    let width = T.bitWidth / 8
    guard width <= remaining else { throw .truncated }
    var value: UInt64 = 0
    for index in position..<position + width { value = value << 8 | UInt64(bytes[index]) }
    position += width
    return T(truncatingIfNeeded: value)
  }

  /// Sixteen bytes, without a length before them.
  @inlinable public mutating func bytes16() throws(DecodingFault) -> Bytes16 {
    Bytes16(high: try integer(UInt64.self), low: try integer(UInt64.self))
  }

  /// Thirty-two bytes, without a length before them.
  @inlinable public mutating func bytes32() throws(DecodingFault) -> Bytes32 {
    Bytes32(prefix: try bytes16(), suffix: try bytes16())
  }

  /// Sixteen bytes, taken for a name of the given kind: the bytes do not say which.
  @inlinable public mutating func identifier<T: Identifier>(_ type: T.Type) throws(DecodingFault)
    -> T
  {
    T(raw: try bytes16())
  }

  /// Eighteen bytes: the frame, then the index.
  @inlinable public mutating func dot() throws(DecodingFault) -> Dot {
    Dot(frame: try bytes16(), index: try integer(UInt16.self))
  }

  /// A count of things that take at least `width` bytes each: more than could be left is refused.
  @inlinable public mutating func count(ofAtLeast width: Int) throws(DecodingFault) -> Int {
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / max(1, width) else { throw .truncated }
    return count
  }

  /// A 32-bit length, then so many bytes.
  public mutating func lengthPrefixed() throws(DecodingFault) -> [UInt8] {
    try fixed(count(ofAtLeast: 1))
  }

  /// Length-prefixed UTF-8; ill-formed text is refused rather than mended, so that what is read is
  /// what was signed.
  public mutating func text() throws(DecodingFault) -> String {
    guard let text = String(validating: try lengthPrefixed(), as: UTF8.self) else {
      throw .invalid("text is not UTF-8")
    }
    return text
  }
}
