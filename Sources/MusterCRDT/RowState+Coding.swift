public import MusterModel

/// The stored form contains the sources of the live values, the visible state, the time of the
/// creation, the writes that are gone, and how much waits beside the row. Only the visible part is
/// the canonical state that the state hash covers (`docs/wire.md`). A principal is marked by the
/// highest bit of a byte that needs fewer, so that a value without one takes no more space.
extension RowState {
  /// Encodes the row for the store: equal states have equal bytes.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: 96 + 96 * live.count)
    writer.append(UInt32(live.count))
    for index in live.indices {
      writer.append(live[index].place.log)
      writer.append(live[index].place.sequence)
    }
    appendVisible(to: &writer)
    if let first = creation.firstAt { writer.append(first.milliseconds) }
    writer.append(UInt32(gone.count))
    for write in gone {
      writer.append(write.field.rawValue)
      writer.append(write.log)
      writer.append(write.sequence)
      writer.append(write.index)
    }
    writer.append(UInt32(superseders))
    writer.append(UInt32(waiting))
    return writer.bytes
  }

  /// Reads what `encoded` returned; `key` is stored separately.
  public init(key: RowKey, decoding bytes: [UInt8]) throws(DecodingFault) {
    self.init(key: key)
    var reader = ByteReader(bytes)
    let sources = try reader.fixed(8 * reader.count(ofAtLeast: 8))
    let isCreated = try readVisible(from: &reader, sources: ByteReader(sources))
    if isCreated { creation.firstAt = Timestamp(milliseconds: try reader.integer(Int64.self)) }
    for _ in 0..<(try reader.count(ofAtLeast: 11)) {
      let field = try reader.field()
      let place = LogPosition(
        log: try reader.logNumber(), sequence: try reader.integer(UInt32.self))
      gone.append(GoneWrite(field: field, place: place, index: try reader.integer(UInt16.self)))
    }
    superseders = Int(try reader.integer(UInt32.self))
    waiting = Int(try reader.integer(UInt32.self))
    try reader.expectEnd()
  }

  /// The canonical state: kind, id, origin, then the fields in order with their live values by dot.
  public var canonical: [UInt8] {
    var writer = ByteWriter()
    writer.append(key.kind.rawValue)
    writer.append(key.id)
    appendVisible(to: &writer)
    return writer.bytes
  }

  private func appendVisible(to writer: inout ByteWriter) {
    let stage = UInt8(origin == nil ? 0 : isCreated ? 2 : 1)
    writer.append(stage | (createdOnBehalfOf == nil ? 0 : UInt8.hasPrincipal))
    writer.append(origin?.owner.raw ?? .zero)
    writer.append(origin?.nonce ?? .zero)
    if let createdOnBehalfOf { writer.append(createdOnBehalfOf) }
    // In place: iterating would copy entries with their references, and many rows are stored.
    live.withUnsafeBufferPointer { Self.append($0, to: &writer) }
  }

  private static func append(
    _ live: UnsafeBufferPointer<LiveEntry>, to writer: inout ByteWriter
  ) {
    var fields: UInt32 = 0
    for index in live.indices where index == 0 || live[index].field != live[index - 1].field {
      fields += 1
    }
    writer.append(fields)
    var next = live.startIndex
    while next < live.endIndex {
      let (field, first) = (live[next].field, next)
      while next < live.endIndex, live[next].field == field { next += 1 }
      writer.append(field.rawValue)
      writer.append(UInt32(next - first))
      for index in first..<next {
        writer.append(live[index].value.dot)
        writer.append(live[index].value.author)
        let principal = live[index].value.onBehalfOf
        writer.append(
          live[index].value.role.rawValue | (principal == nil ? 0 : UInt8.hasPrincipal))
        writer.append(live[index].value.writtenAt.milliseconds)
        if let principal { writer.append(principal) }
        live[index].value.value.append(to: &writer)
      }
    }
  }

  /// Returns whether the row is created.
  private mutating func readVisible(
    from reader: inout ByteReader, sources: ByteReader
  ) throws(DecodingFault) -> Bool {
    var sources = sources
    let first = try reader.integer(UInt8.self)
    let stage = first & ~UInt8.hasPrincipal
    let origin = RowOrigin(
      owner: try reader.identifier(UserID.self), nonce: try reader.bytes16())
    guard stage <= 2 else { throw .invalid("origin") }
    self.origin = stage == 0 ? nil : origin
    if first != stage { creation.onBehalfOf = try reader.principal() }
    for _ in 0..<(try reader.count(ofAtLeast: 5)) {
      let field = try reader.field()
      for _ in 0..<(try reader.count(ofAtLeast: 44)) {
        let place = LogPosition(
          log: try sources.logNumber(), sequence: try sources.integer(UInt32.self))
        live.append(LiveEntry(field: field, place: place, value: try LiveValue(from: &reader)))
      }
    }
    try sources.expectEnd()
    return stage == 2
  }
}

extension LiveValue {
  fileprivate init(from reader: inout ByteReader) throws(DecodingFault) {
    let dot = try reader.dot()
    let author = try reader.identifier(UserID.self)
    let code = try reader.integer(UInt8.self)
    guard let role = Role(rawValue: code & ~UInt8.hasPrincipal) else { throw .invalid("role") }
    let writtenAt = Timestamp(milliseconds: try reader.integer(Int64.self))
    let principal = code & UInt8.hasPrincipal == 0 ? nil : try reader.principal()
    self.init(
      dot: dot, value: try Value(from: &reader), author: author, role: role, writtenAt: writtenAt,
      onBehalfOf: principal)
  }
}

extension Author {
  fileprivate func append(to writer: inout ByteWriter) {
    writer.append(user)
    writer.append(device)
    writer.append(role.rawValue)
  }

  fileprivate init(from reader: inout ByteReader) throws(DecodingFault) {
    let user = try reader.identifier(UserID.self)
    let device = try reader.identifier(DeviceID.self)
    self.init(user: user, device: device, role: try reader.role())
  }
}

extension PlacedWrite {
  /// Encodes a write that waits for the origin of its row, without the name of the row.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    let (write, author) = (authored.write, authored.author)
    writer.append(place.log << 1 | (write.takesEarlier ? 1 : 0))
    writer.append(place.sequence)
    writer.append(dot)
    author.append(to: &writer)
    writer.append(authored.writtenAt.milliseconds)
    writer.append(write.field.rawValue)
    writer.append(
      UInt8(write.value == nil ? 0 : 1) | (authored.onBehalfOf == nil ? 0 : UInt8.hasPrincipal))
    if let principal = authored.onBehalfOf { writer.append(principal) }
    write.value?.append(to: &writer)
    writer.append(UInt32(write.supersedes.count))
    for dot in write.supersedes { writer.append(dot) }
    // A waiting write has no origin: with one, it would not have waited.
    return writer.bytes
  }

  /// Reads what `encoded` returned.
  public init(to row: RowID, decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let log = try reader.integer(UInt32.self)
    let place = LogPosition(log: log >> 1, sequence: try reader.integer(UInt32.self))
    let dot = try reader.dot()
    let author = try Author(from: &reader)
    let writtenAt = Timestamp(milliseconds: try reader.integer(Int64.self))
    let field = try reader.field()
    let code = try reader.integer(UInt8.self)
    let principal = code & UInt8.hasPrincipal == 0 ? nil : try reader.principal()
    let value = code & 1 == 1 ? try Value(from: &reader) : nil
    var supersedes: [Dot] = []
    for _ in 0..<(try reader.count(ofAtLeast: 18)) { supersedes.append(try reader.dot()) }
    try reader.expectEnd()
    let write = Write(
      row: row, field: field, value: value, supersedes: supersedes, takesEarlier: log & 1 == 1)
    self.init(
      authored: AuthoredWrite(
        write: write, dot: dot, author: author, writtenAt: writtenAt, onBehalfOf: principal),
      place: place)
  }
}

extension UInt8 {
  /// The bit that marks that a principal follows.
  fileprivate static let hasPrincipal: UInt8 = 0x80
}

extension ByteReader {
  fileprivate mutating func logNumber() throws(DecodingFault) -> UInt32 {
    let log = try integer(UInt32.self)
    guard log <= LogPosition.lastLog else { throw .invalid("log") }
    return log
  }

  fileprivate mutating func field() throws(DecodingFault) -> Field {
    guard let field = Field(rawValue: try integer(UInt8.self)) else { throw .invalid("field") }
    return field
  }

  fileprivate mutating func role() throws(DecodingFault) -> Role {
    guard let role = Role(rawValue: try integer(UInt8.self)) else { throw .invalid("role") }
    return role
  }
}
