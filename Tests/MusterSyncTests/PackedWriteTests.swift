import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Packed writes")
struct PackedWriteTests {
  private let operation = OperationID(raw: Bytes16(high: 1, low: 1))
  private let author = UserID(raw: Bytes16(high: 2, low: 2))
  private let stranger = UserID(raw: Bytes16(high: 3, low: 3))
  private var place: WritePosition { at(sequence: 1000) }

  private func created(by owner: UserID, nonce: UInt64) -> (row: RowID, origin: RowOrigin) {
    let origin = RowOrigin(owner: owner, nonce: Bytes16(high: 0, low: nonce))
    return (RowID(operation: operation, origin: origin), origin)
  }

  private func at(sequence: UInt64) -> WritePosition {
    WritePosition(operation: operation, author: author, sequence: sequence)
  }

  private func body(
    _ operations: [Operation], at milliseconds: Int64 = 1_800_000_000_000
  ) -> FrameBody {
    FrameBody(
      writtenAt: Timestamp(milliseconds: milliseconds), contents: .operations(operations))
  }

  /// Every form of subject, value and superseded dot.
  private func writes() throws -> [Operation] {
    let own = created(by: author, nonce: 1)
    let other = created(by: stranger, nonce: 2)
    let dot = Dot(frame: Bytes16(high: 7, low: 8), index: 300)
    let seen = SeenPosition(
      device: DeviceID(raw: Bytes16(high: 9, low: 9)),
      order: RecordOrder(
        generation: 3, incarnation: Incarnation(raw: Bytes16(high: 4, low: 4)),
        counter: UInt64(Int64.max)))
    let circle = FenceGeometry.circle(
      center: try #require(Coordinate(latitudeE7: 1, longitudeE7: -2)), radiusCentimetres: 500)
    let place = try #require(Coordinate(latitudeE7: -900_000_000, longitudeE7: 1_800_000_000))
    return [
      Write(row: own.row, field: .reportExistence, value: .mark, origin: own.origin),
      Write(row: own.row, field: .reportTitle, value: .text("Søk øst"), origin: own.origin),
      Write(row: own.row, field: .reportPosition, value: .position(place), origin: own.origin),
      Write(row: own.row, field: .reportSeverity, value: .code(5)),
      Write(row: other.row, field: .fenceGeometry, value: .geometry(circle), origin: other.origin),
      // An origin that the row is not hashed from is carried as it is, and judged by the reader.
      Write(row: own.row, field: .reportTitle, value: .text("x"), origin: other.origin),
      Write(
        row: RowID(raw: author.raw), field: .userSafetyClaim,
        value: .claim(.needsHelp, note: "leg"), supersedes: [dot]),
      Write(
        row: RowID(raw: author.raw), field: .userSafetyOverride,
        value: .accounting(
          Accounting(
            note: "here", claims: [dot], rows: [own.row], positions: [seen],
            away: [seen.device])), supersedes: [dot]),
      Write(
        row: RowID(raw: author.raw), field: .userRelayedClaim,
        value: .relayedClaim(.needsHelp, note: "leg", login: "ada", seen: [dot])),
      Write(
        row: RowID(raw: author.raw), field: .userSignOff,
        value: .signOff(reason: "home", seen: [own.row, other.row])),
      Write(row: RowID(raw: author.raw), field: .userSignOff, value: .signOn(reason: "back")),
      Write(
        row: other.row, field: .alertAcknowledgements,
        value: .alertReply(
          AlertReply(user: author, note: "on it", dots: [dot], positions: [seen]))),
      Write(
        row: RowID(raw: author.raw), field: .userTeam, value: nil, supersedes: [dot, dot],
        takesEarlier: true),
      Write(row: other.row, field: .reportStatus, value: .code(1), takesEarlier: true),
      // Only repeats that the previous row exists: one bit of that write.
      Write(row: other.row, field: .reportExistence, value: .mark, takesEarlier: true),
      Write(row: other.row, field: .reportExistence, value: .mark, takesEarlier: true),
    ].map(Operation.write)
  }

  @Test func `decode to what was written, whatever is next to them`() throws {
    let writes = try writes()
    for operations in [writes, writes.reversed(), [writes[2]], []] {
      let bytes = body(operations).encoded(writesAt: place)
      #expect(try FrameBody(decoding: bytes, writesAt: place) == body(operations))
    }
  }

  @Test func `name a row by the frame that named it before, in three bytes`() throws {
    let own = created(by: author, nonce: 1)
    let other = created(by: stranger, nonce: 2)
    var mentions = RowMentions()
    var first = FrameBodyPacker(
      writtenAt: Timestamp(milliseconds: 0), writesAt: at(sequence: 700))
    let unnamed = Write(row: other.row, field: .reportTitle, value: .text("a"))
    let creating = Write(
      row: own.row, field: .reportExistence, value: .mark, origin: own.origin)
    for write in [unnamed, creating] {
      let isAdded = first.add([.write(write)], knowing: mentions)
      #expect(isAdded)
    }
    let earlier = try FrameBody.read(first.encoded(), writesAt: at(sequence: 700)) { _, _ in .none }
    #expect(earlier.named?.map(\.row) == [other.row, own.row])
    first.note(in: &mentions)

    // Given edits in a later frame, one of which must state an origin that was not stated before
    var second = FrameBodyPacker(
      writtenAt: Timestamp(milliseconds: 0), writesAt: at(sequence: 1000))
    let edit = Write(
      row: own.row, field: .reportTitle, value: .text("b"), takesEarlier: true,
      origin: own.origin)
    let exists = Write(
      row: own.row, field: .reportExistence, value: .mark, takesEarlier: true,
      origin: own.origin)
    let urgent = Write(
      row: other.row, field: .reportToEvacuate, value: .mark, origin: other.origin)
    for write in [edit, exists, urgent] {
      let isAdded = second.add([.write(write)], knowing: mentions)
      #expect(isAdded)
    }
    let bytes = second.encoded()
    // field, flags, distance of two bytes, index, text; and the other row in full
    #expect(bytes.count == 2 + (1 + 1 + 2 + 1 + 2) + (1 + 1 + 48))

    let read = try FrameBody.read(bytes, writesAt: at(sequence: 1000)) { sequence, index in
      #expect(sequence == 700)
      return earlier.named?.first { $0.index == index }.map { .row($0.row) } ?? .none
    }
    // Then the origin that was stated already is omitted, and everything else is there
    var (plainEdit, plainExists) = (edit, exists)
    (plainEdit.origin, plainExists.origin) = (nil, nil)
    #expect(read.body == body([plainEdit, plainExists, urgent].map(Operation.write), at: 0))
    #expect(read.named == [NamedRow(index: 2, row: other.row)])
    // And a reader without that frame waits for it
    let waiting = try FrameBody.read(bytes, writesAt: at(sequence: 1000)) { _, _ in .unknown }
    #expect(waiting.body == body([.unknown, .unknown, .write(urgent)], at: 0))
  }

  @Test func `come after the other operations of their frame`() throws {
    let epoch = Operation.epoch(
      EpochAnnouncement(id: EpochID(raw: .zero), generation: 1, base: nil, excludes: [], sealed: [])
    )
    let writes = try writes()
    let bytes = body([writes[0], epoch, writes[1]]).encoded(writesAt: place)
    #expect(
      try FrameBody(decoding: bytes, writesAt: place) == body([epoch, writes[0], writes[1]]))
  }

  @Test func `of a report of seven fields make a body of 83 bytes`() throws {
    let own = created(by: author, nonce: 1)
    let fields: [(Field, Value)] = [
      (.reportExistence, .mark), (.reportTitle, .text("Report 12345")),
      (.reportDescription, .text("Water over the road")), (.reportCategory, .code(3)),
      (.reportSeverity, .code(3)), (.reportStatus, .code(1)),
      (.reportPosition, .position(try #require(Coordinate(latitudeE7: 0, longitudeE7: 0)))),
    ]
    let operations = fields.map {
      Operation.write(Write(row: own.row, field: $0.0, value: $0.1, origin: own.origin))
    }
    #expect(body(operations).encoded(writesAt: place).count == 83)
  }

  @Test func `that cannot be right are invalid, and those after them count`() throws {
    let good: [UInt8] = [Field.reportSeverity.rawValue, 0b1001] + author.bytes + [3]
    let title = Field.reportTitle.rawValue
    let bad: [[UInt8]] = [
      [title, 0b1001] + author.bytes + [0],  // an empty line
      [Field.reportSeverity.rawValue, 0b1000, 6],
      [Field.userSafetyClaim.rawValue, 0b1001] + author.bytes + [3, 0],
      [Field.reportPosition.rawValue, 0b1001] + author.bytes + [0x7F, 0, 0, 0, 0, 0, 0, 0],
      [Field.fenceGeometry.rawValue, 0b1001] + author.bytes + [1, 9],
      [title, 0b1100, 0, 1, 1, 65],  // no distance
      [title, 0b1100, 0xE8, 7, 1, 1, 65],  // to the opening
      [title, 0b1100, 1, 0x80, 0x80, 4, 1, 65],  // no such index
      [title, 0b1100, 1, 1, 1, 65],  // no row is named there
      [title, 0b0010_0001] + author.bytes + [65] + [UInt8](repeating: 0, count: 65 * 18),
    ]
    for write in bad {
      let operations = try read(good + write + good)
      #expect(operations.count == 3, "\(write)")
      #expect(operations[1] == .invalid, "\(write)")
      #expect(operations[2] == operations[0], "\(write)")
    }
    // A write without a row decodes without a row.
    #expect(try read([title, 0b0100_1100, 1, 1, 1, 65]) == [.invalid, .invalid])
    // A first write has none before it to be like.
    #expect(try read([title, 0b1000, 1, 65]) == [.invalid])
  }

  @Test func `of a later version let the whole frame wait`() throws {
    let good: [UInt8] = [Field.reportSeverity.rawValue, 0b1001] + author.bytes + [3]
    #expect(try read(good + [19, 0, 1, 2, 3]) == [.unknown])
    #expect(try read([Field.reportTitle.rawValue, 0b1000_0001] + good) == [.unknown])
    for form: UInt8 in 5...7 {
      #expect(try read(good + [Field.reportTitle.rawValue, 0b1000 | form, 1, 65]) == [.unknown])
    }
    // Users exist without an explicit write.
    #expect(try read(good + [Field.userTeam.rawValue, 0b0100_1000, 1, 65]) == [.unknown])
  }

  @Test func `that end early or are no text make the frame mean nothing`() throws {
    let title: [UInt8] = [Field.reportTitle.rawValue, 0b1001] + author.bytes
    let broken: [[UInt8]] = [
      [Field.reportTitle.rawValue], Array(title.dropLast()), title + [3, 65], title + [1, 0xFF],
      title + [0x81, 0x00, 65], title + [0x80, 0x80, 0x80, 0x80, 0x80, 1],
      title + [1, 65] + title.dropLast(16) + [5],
      [Field.reportTitle.rawValue, 0b0010_0001] + author.bytes + [1, 0],
      [Field.reportTitle.rawValue, 0b1100, 1],
      [Field.reportTitle.rawValue, 0b1100, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 1],
    ]
    for bytes in broken {
      #expect(throws: WireError.self, "\(bytes)") { try read(bytes) }
    }
    let many = [UInt8]((0..<513).flatMap { _ in [Field.reportExistence.rawValue, 0b1000] })
    #expect(throws: WireError.overLimit("operations in a frame")) { try read(many) }
  }

  @Test func `are read alike by hand and by the generated code, however damaged`() throws {
    let bytes = body(try writes()).encoded(writesAt: place)
    var random = DeterministicRandom(seed: [UInt8](repeating: 9, count: 32))
    var accepted = 0
    for _ in 0..<50_000 {
      var damaged = bytes
      for _ in 0...Int(random.uint64() % 3) {
        let draw = random.uint64()
        let index = Int(draw >> 32) % damaged.count
        switch draw & 7 {
        case 0: damaged.removeLast(min(damaged.count - 1, index % 40))
        case 1: damaged.insert(UInt8(truncatingIfNeeded: draw >> 8), at: index)
        case 2: damaged = Array(damaged.prefix(8)) + damaged
        default: damaged[index] ^= UInt8(truncatingIfNeeded: draw >> 8)
        }
      }
      let byHand = outcome { try FrameBody.read(damaged, writesAt: place, refer: refer) }
      let generated = outcome {
        try FrameBody.read(
          parsed: try WireFrameBody(parsing: damaged), writesAt: place, refer: refer)
      }
      #expect(byHand == generated, "\(damaged)")
      if byHand != nil { accepted += 1 }
    }
    #expect(accepted > 5000)
  }

  private func refer(_ sequence: UInt64, _ index: UInt16) -> RowReference {
    switch (sequence + UInt64(index)) % 3 {
    case 0: .none
    case 1: .unknown
    default: .row(RowID(raw: Bytes16(high: sequence, low: UInt64(index))))
    }
  }

  private struct Outcome: Equatable {
    let body: FrameBody
    let named: [NamedRow]?
  }

  /// Nil for what was refused; of the reasons, the two readers may find another first.
  private func outcome(
    _ read: () throws -> (body: FrameBody, named: [NamedRow]?)
  ) -> Outcome? {
    do {
      let (body, named) = try read()
      return Outcome(body: body, named: named)
    } catch {
      return nil
    }
  }

  private func read(_ packed: [UInt8]) throws -> [Operation] {
    let bytes = FrameBody.encoded(
      writtenAt: Timestamp(milliseconds: 0), stamp: nil, onBehalfOf: nil, others: [],
      writes: packed)
    let body = try FrameBody(decoding: bytes, writesAt: place)
    guard case .operations(let operations) = body.contents else { return [] }
    return operations
  }
}
