internal import MusterModel

/// Reads packed writes. What has no right width, ends early or is no UTF-8 throws, and the body
/// means nothing; a write that says what none may say is `.invalid`, and those after it count.
struct PackedWriteReader {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private let place: WritePlace
  private var subject: PackedWrites.Subject?

  /// Begins at the start of `range`, which lies within `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>, in place: WritePlace) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    self.place = place
  }

  /// All writes, or nil where one is of a later version.
  mutating func operations(atMost limit: Int) throws(WireError) -> [Operation]? {
    var operations: [Operation] = []
    while position < end {
      guard operations.count < limit else { throw .overLimit("operations in a frame") }
      guard let operation = try next() else { return nil }
      operations.append(operation)
    }
    return operations
  }

  /// Nil for a field or a flag of a later version.
  private mutating func next() throws(WireError) -> Operation? {
    let code = try byte()
    let flags = try byte()
    guard let field = Field(rawValue: code), flags & PackedWrites.Flag.reserved == 0 else {
      return nil
    }
    try readSubject(flags & PackedWrites.Flag.subjectMask)
    var isValid = subject != nil
    var value: Value?
    if flags & PackedWrites.Flag.hasValue != 0 {
      value = try readValue(field.form)
      if value.map(field.accepts) != true { isValid = false }
    }
    let mark = flags >> PackedWrites.Flag.earlierShift & PackedWrites.Flag.earlierMask
    guard let earlier = try readEarlier(Int(mark)) else {
      try skipOthers(flags)
      return .invalid
    }
    guard let others = try readOthers(flags) else { return .invalid }
    guard isValid, let subject, earlier.count + others.count <= Limits.supersededDots else {
      return .invalid
    }
    return .write(
      Write(
        row: subject.row, field: field, value: value, supersedes: others,
        supersedesEarlier: earlier, origin: subject.origin))
  }

  // MARK: Subject

  private mutating func readSubject(_ code: UInt8) throws(WireError) {
    switch PackedWrites.SubjectForm(rawValue: code) ?? .asBefore {
    case .asBefore: break
    case .row: subject = PackedWrites.Subject(row: RowID(raw: try bytes16()), origin: nil)
    case .created:
      let origin = RowOrigin(owner: place.author, nonce: try bytes16())
      subject = PackedWrites.Subject(
        row: RowID(operation: place.operation, origin: origin), origin: origin)
    case .full:
      let row = RowID(raw: try bytes16())
      let owner = UserID(raw: try bytes16())
      subject = PackedWrites.Subject(
        row: row, origin: RowOrigin(owner: owner, nonce: try bytes16()))
    }
  }

  // MARK: Values

  /// Nil for a value that is none; what its field makes of it is for the caller to ask.
  private mutating func readValue(_ form: ValueForm) throws(WireError) -> Value? {
    switch form {
    case .text: return .text(try text())
    case .code: return .code(try byte())
    case .position:
      let latitude = Int32(truncatingIfNeeded: try integer(4))
      let longitude = Int32(truncatingIfNeeded: try integer(4))
      return Coordinate(latitudeE7: Int64(latitude), longitudeE7: Int64(longitude))
        .map(Value.position)
    case .geometry:
      var reader = ByteReader(bytes[try length()])
      do {
        let geometry = try FenceGeometry(from: &reader)
        try reader.expectEnd()
        return .geometry(geometry)
      } catch {
        return nil
      }
    case .claim:
      let code = try byte()
      let note = try text()
      return SafetyClaim(rawValue: code).map { .claim($0, note: note) }
    case .mark: return .mark
    }
  }

  private mutating func text() throws(WireError) -> String {
    guard let text = String(validating: bytes[try length()], as: UTF8.self) else {
      throw .malformed("text is not UTF-8")
    }
    return text
  }

  // MARK: Superseded dots

  /// Nil where one is none that can come before this frame, or they are too many.
  private mutating func readEarlier(_ mark: Int) throws(WireError) -> [EarlierWrite]? {
    var count = mark
    if mark == PackedWrites.Flag.earlierCounted {
      count = Int(try varint())
      guard count <= (end - position) / 2 else { throw .malformed("writes are cut short") }
    }
    guard count > 0 else { return [] }
    var earlier: [EarlierWrite] = []
    var isValid = count <= Limits.supersededDots
    for _ in 0..<count {
      let (distance, index) = (try varint(), try varint())
      guard isValid, distance > 0, distance < place.sequence, let index = UInt16(exactly: index)
      else {
        isValid = false
        continue
      }
      earlier.append(EarlierWrite(sequence: place.sequence - distance, index: index))
    }
    return isValid ? earlier : nil
  }

  /// Nil where they are too many.
  private mutating func readOthers(_ flags: UInt8) throws(WireError) -> [Dot]? {
    guard flags & PackedWrites.Flag.hasOthers != 0 else { return [] }
    let count = try countOfOthers()
    guard count <= Limits.supersededDots else {
      position += count * 18
      return nil
    }
    var dots: [Dot] = []
    dots.reserveCapacity(count)
    for _ in 0..<count {
      dots.append(
        Dot(frame: try bytes16(), index: UInt16(truncatingIfNeeded: try integer(2))))
    }
    return dots
  }

  private mutating func skipOthers(_ flags: UInt8) throws(WireError) {
    guard flags & PackedWrites.Flag.hasOthers != 0 else { return }
    position += try countOfOthers() * 18
  }

  private mutating func countOfOthers() throws(WireError) -> Int {
    let count = Int(try varint())
    guard count <= (end - position) / 18 else { throw .malformed("writes are cut short") }
    return count
  }

  // MARK: Bytes

  private mutating func byte() throws(WireError) -> UInt8 {
    guard position < end else { throw .malformed("writes are cut short") }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func integer(_ width: Int) throws(WireError) -> UInt64 {
    guard width <= end - position else { throw .malformed("writes are cut short") }
    var value: UInt64 = 0
    for offset in 0..<width { value = value << 8 | UInt64(bytes[position + offset]) }
    position += width
    return value
  }

  private mutating func bytes16() throws(WireError) -> Bytes16 {
    Bytes16(high: try integer(8), low: try integer(8))
  }

  /// At most five bytes and 2^32 − 1, in the shortest form.
  private mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 35, by: 7) {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      guard next < 0x80 else { continue }
      guard next != 0 || shift == 0, value <= UInt32.max else { break }
      return value
    }
    throw .malformed("an integer is too long")
  }

  /// A length and the bytes that it counts, which are passed over.
  private mutating func length() throws(WireError) -> Range<Int> {
    let length = Int(try varint())
    guard length <= end - position else { throw .malformed("writes are cut short") }
    defer { position += length }
    return position..<position + length
  }
}
