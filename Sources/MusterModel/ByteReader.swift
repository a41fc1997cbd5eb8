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
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  public var remaining: Int { bytes.endIndex - position }

  public func expectEnd() throws(DecodingFault) {
    if remaining != 0 { throw .trailingBytes }
  }

  public mutating func fixed(_ count: Int) throws(DecodingFault) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  public mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws(DecodingFault) -> T {
    let width = T.bitWidth / 8
    guard width <= remaining else { throw .truncated }
    var value: T = 0
    for byte in bytes[position..<position + width] {
      value = width == 1 ? T(truncatingIfNeeded: byte) : value << 8 | T(truncatingIfNeeded: byte)
    }
    position += width
    return value
  }

  public mutating func bytes16() throws(DecodingFault) -> Bytes16 {
    Bytes16(high: try integer(UInt64.self), low: try integer(UInt64.self))
  }

  public mutating func bytes32() throws(DecodingFault) -> Bytes32 {
    Bytes32(prefix: try bytes16(), suffix: try bytes16())
  }

  public mutating func identifier<T: Identifier>(_ type: T.Type) throws(DecodingFault) -> T {
    T(raw: try bytes16())
  }

  public mutating func dot() throws(DecodingFault) -> Dot {
    Dot(frame: try bytes16(), index: try integer(UInt16.self))
  }

  /// A count of things that take at least `width` bytes each: more than could be left is refused.
  public mutating func count(ofAtLeast width: Int) throws(DecodingFault) -> Int {
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / max(1, width) else { throw .truncated }
    return count
  }

  public mutating func lengthPrefixed() throws(DecodingFault) -> [UInt8] {
    try fixed(count(ofAtLeast: 1))
  }

  public mutating func text() throws(DecodingFault) -> String {
    guard let text = String(validating: try lengthPrefixed(), as: UTF8.self) else {
      throw .invalid("text is not UTF-8")
    }
    return text
  }
}
