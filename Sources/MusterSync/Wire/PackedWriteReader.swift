internal import MusterModel

/// A parser of packed writes (docs/wire.md §4). It throws for a wrong width, a truncated write or
/// invalid UTF-8, and the whole body then has no meaning. A write that violates another rule
/// becomes `.invalid`, and the writes after it still count.
struct PackedWriteReader {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private let place: WritePosition
  private let firstIndex: Int
  private var subject = Subject.none
  private(set) var operations: [Operation] = []
  /// Rows that are named in full, with the index of the operation that names them.
  private(set) var named: [NamedRow] = []

  private enum Subject {
    case none
    case known(PackedWrites.Subject)
    case unknown
  }

  /// Creates a parser of the bytes in `range`.
  ///
  /// - Parameter firstIndex: the number of operations in the frame before the writes.
  init(_ bytes: [UInt8], _ range: Range<Int>, in place: WritePosition, firstIndex: Int) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    self.place = place
    self.firstIndex = firstIndex
  }

  /// Parses all writes. Returns false if one of them needs a later version.
  ///
  /// - Parameter refer: returns the row that the operation `index` of the frame `sequence` of this
  ///   log names in full.
  mutating func readAll(
    refer: (_ sequence: UInt64, _ index: UInt16) -> RowReference
  ) throws(WireError) -> Bool {
    while position < end {
      guard try readNext(refer: refer) else { return false }
      guard firstIndex + operations.count <= Limits.operationsPerFrame else {
        throw .overLimit("operations in a frame")
      }
    }
    return true
  }

  /// Parses one write. Returns false for a field or a flag of a later version.
  private mutating func readNext(
    refer: (UInt64, UInt16) -> RowReference
  ) throws(WireError) -> Bool {
    let code = try byte()
    let flags = try byte()
    guard let field = Field(rawValue: code), flags & PackedWrites.Flag.reserved == 0,
      let form = PackedWrites.SubjectForm(rawValue: flags & PackedWrites.Flag.subjectMask)
    else { return false }
    try readSubject(form, refer: refer)
    var isValid = true
    var value: Value?
    if flags & PackedWrites.Flag.hasValue != 0 {
      value = try readValue(field.form)
      isValid = value.map(field.accepts) == true
    }
    let others = try readOthers(flags)
    let takesEarlier = flags & PackedWrites.Flag.takesEarlier != 0
    operations.append(
      operation { subject in
        guard isValid, let others else { return nil }
        return Write(
          row: subject.row, field: field, value: value, supersedes: others,
          takesEarlier: takesEarlier, origin: subject.origin)
      })
    guard flags & PackedWrites.Flag.exists != 0 else { return true }
    guard let existence = Field.existence(of: field.entity) else { return false }
    operations.append(
      operation {
        Write(
          row: $0.row, field: existence, value: .mark, takesEarlier: true, origin: $0.origin)
      })
    return true
  }

  private func operation(_ write: (PackedWrites.Subject) -> Write?) -> Operation {
    switch subject {
    case .none: .invalid
    case .unknown: .unknown
    case .known(let known): write(known).map(Operation.write) ?? .invalid
    }
  }

  // MARK: Subject

  private mutating func readSubject(
    _ form: PackedWrites.SubjectForm, refer: (UInt64, UInt16) -> RowReference
  ) throws(WireError) {
    switch form {
    case .asBefore: break
    case .row: name(PackedWrites.Subject(row: RowID(raw: try bytes16()), origin: nil))
    case .created:
      let origin = RowOrigin(owner: place.author, nonce: try bytes16())
      name(
        PackedWrites.Subject(
          row: RowID(operation: place.operation, origin: origin), origin: origin))
    case .full:
      let row = RowID(raw: try bytes16())
      let owner = UserID(raw: try bytes16())
      name(
        PackedWrites.Subject(row: row, origin: RowOrigin(owner: owner, nonce: try bytes16())))
    case .earlier:
      let (distance, index) = (try varint(), try varint())
      subject = .none
      guard distance > 0, distance < place.sequence, let index = UInt16(exactly: index) else {
        return
      }
      switch refer(place.sequence - distance, index) {
      case .row(let row): subject = .known(PackedWrites.Subject(row: row, origin: nil))
      case .none: break
      case .unknown: subject = .unknown
      }
    }
  }

  private mutating func name(_ new: PackedWrites.Subject) {
    subject = .known(new)
    named.append(
      NamedRow(index: UInt16(clamping: firstIndex + operations.count), row: new.row))
  }

  // MARK: Values

  /// Parses a value. Returns nil for an invalid one. The caller checks whether the field accepts
  /// it.
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
    case .reference: return .reference(RowID(raw: try bytes16()))
    case .time:
      return .time(Timestamp(milliseconds: Int64(bitPattern: try integer(8))))
    case .number: return .number(UInt32(truncatingIfNeeded: try integer(4)))
    case .bytes: return .bytes(Array(bytes[try length()]))
    case .reply:
      let user = UserID(raw: try bytes16())
      return .reply(user, note: try text())
    case .overruling:
      let code = try byte()
      let note = try text()
      if code == PackedWrites.accountingCode { return try readAccounting(note) }
      guard let seen = try readDots() else { return nil }
      return SafetyClaim(rawValue: code).map { .overruling($0, note: note, seen: seen) }
    case .trackerReply:
      let nonce = try bytes16()
      return .trackerReply(nonce, note: try text())
    case .photo: return try readPhoto()
    case .relayedClaim, .signOff, .alertReply, .checkIn: return try readPersonal(form)
    case .profile:
      let end = LocationProfile.encodedBytes
      guard end <= self.end - position else { throw .malformed("writes are cut short") }
      defer { position += end }
      var reader = ByteReader(bytes[position..<position + end])
      do {
        return .profile(try LocationProfile(from: &reader))
      } catch {
        return nil
      }
    }
  }

  private mutating func readPersonal(_ form: ValueForm) throws(WireError) -> Value? {
    switch form {
    case .relayedClaim:
      let code = try byte()
      let note = try text()
      let login = try text()
      guard let seen = try readDots() else { return nil }
      return SafetyClaim(rawValue: code).map {
        .relayedClaim($0, note: note, login: login, seen: seen)
      }
    case .signOff:
      let code = try byte()
      let reason = try text()
      let seen = try identifiers(RowID.self)
      if code == PackedWrites.signOffCode { return .signOff(reason: reason, seen: seen) }
      guard code == PackedWrites.signOnCode, seen.isEmpty else { return nil }
      return .signOn(reason: reason)
    case .checkIn:
      let code = try byte()
      let seconds = UInt32(truncatingIfNeeded: try integer(4))
      let note = try text()
      return CheckInReportKind(rawValue: code).map {
        .checkIn(CheckInReport(kind: $0, nextSeconds: seconds, note: note))
      }
    default:
      let user = UserID(raw: try bytes16())
      let note = try text()
      let dots = try readDots()
      let positions = try positions()
      return dots.map {
        .alertReply(AlertReply(user: user, note: note, dots: $0, positions: positions))
      }
    }
  }

  /// The length follows from the flags, so an unlisted media type makes this write alone invalid.
  private mutating func readPhoto() throws(WireError) -> Value? {
    let flagsAt = position + Photo.fixedBytes - 1
    guard flagsAt < end, let count = Photo.encodedBytes(flags: bytes[flagsAt]),
      count <= end - position
    else { throw .malformed("writes are cut short") }
    defer { position += count }
    var reader = ByteReader(bytes[position..<position + count])
    do {
      return .photo(try Photo(from: &reader))
    } catch {
      return nil
    }
  }

  private mutating func readAccounting(_ note: String) throws(WireError) -> Value? {
    let claims = try readDots()
    let rows = try identifiers(RowID.self)
    let positions = try positions()
    let away = try identifiers(DeviceID.self)
    return claims.map {
      .accounting(
        Accounting(note: note, claims: $0, rows: rows, positions: positions, away: away))
    }
  }

  private mutating func identifiers<ID: Identifier>(_: ID.Type) throws(WireError) -> [ID] {
    var found: [ID] = []
    for _ in 0..<(try count(ofWidth: 16)) { found.append(ID(raw: try bytes16())) }
    return found
  }

  private mutating func positions() throws(WireError) -> [SeenPosition] {
    var found: [SeenPosition] = []
    for _ in 0..<(try count(ofWidth: 44)) {
      let device = DeviceID(raw: try bytes16())
      let generation = UInt32(truncatingIfNeeded: try integer(4))
      let incarnation = Incarnation(raw: try bytes16())
      let order = RecordOrder(
        generation: generation, incarnation: incarnation, counter: try integer(8))
      found.append(SeenPosition(device: device, order: order))
    }
    return found
  }

  private mutating func text() throws(WireError) -> String {
    guard let text = String(validating: bytes[try length()], as: UTF8.self) else {
      throw .malformed("text is not UTF-8")
    }
    return text
  }

  // MARK: Superseded dots

  /// Parses the other superseded dots, if there are any. Returns nil for too many.
  private mutating func readOthers(_ flags: UInt8) throws(WireError) -> [Dot]? {
    guard flags & PackedWrites.Flag.hasOthers != 0 else { return [] }
    return try readDots()
  }

  /// Parses a list of dots. Returns nil if there are more than `Limits.supersededDots`.
  private mutating func readDots() throws(WireError) -> [Dot]? {
    let count = try count(ofWidth: 18)
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

  private mutating func count(ofWidth width: Int) throws(WireError) -> Int {
    let count = Int(try varint())
    guard count <= (end - position) / width else { throw .malformed("writes are cut short") }
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

  /// Parses a varint: at most five bytes and at most 2^32 − 1, in its shortest form.
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

  /// Parses a length, skips as many bytes, and returns their range.
  private mutating func length() throws(WireError) -> Range<Int> {
    let length = Int(try varint())
    guard length <= end - position else { throw .malformed("writes are cut short") }
    defer { position += length }
    return position..<position + length
  }
}
