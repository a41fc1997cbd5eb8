/// Command's statement that a person is accounted for, with the evidence that its author had seen.
///
/// It settles what it names and nothing else: a call for help, an order or a position that it does
/// not name counts against it on every node (decision 0042).
public struct Accounting: Hashable, Sendable {
  /// The reason, in the author's words.
  public var note: String
  /// The safety claims that the author had seen (fields 5, 8 and 103).
  public var claims: [Dot]
  /// The orders and timers that the author had seen.
  public var rows: [RowID]
  /// The newest position of each device that the author had seen.
  public var positions: [SeenPosition]
  /// Devices that are not with the person.
  public var away: [DeviceID]

  /// Creates an accounting. Nothing is validated here; see `isWithinLimits`.
  public init(
    note: String, claims: [Dot] = [], rows: [RowID] = [], positions: [SeenPosition] = [],
    away: [DeviceID] = []
  ) {
    self.note = note
    self.claims = claims
    self.rows = rows
    self.positions = positions
    self.away = away
  }

  /// Whether every replica accepts this value.
  public var isWithinLimits: Bool {
    TextRule.note.accepts(note) && claims.count <= Limits.overruledClaims
      && rows.count <= Limits.seenRows && positions.count <= Limits.seenPositions
      && away.count <= Limits.seenPositions
  }
}

/// A device's newest position record as the author saw it. A tracker's device is named by its row.
public struct SeenPosition: Hashable, Sendable {
  /// The device that published the record.
  public var device: DeviceID
  /// A record of the same device is later if its order is greater.
  public var order: RecordOrder

  /// Names a record, which need not be held here.
  public init(device: DeviceID, order: RecordOrder) {
    self.device = device
    self.order = order
  }
}

/// A person's acknowledgement of an alert and of what caused it.
///
/// It counts for the occurrence of the alert that began with the named causes, and for no later one
/// (decision 0042).
public struct AlertReply: Hashable, Sendable {
  /// The person who acknowledges; `program` for none.
  public var user: UserID
  /// A note in their words.
  public var note: String
  /// The claims and other values that cause the alert.
  public var dots: [Dot]
  /// The newest position seen of each device that the alert is about.
  public var positions: [SeenPosition]

  /// Creates a reply. Nothing is validated here; see `isWithinLimits`.
  public init(user: UserID, note: String, dots: [Dot] = [], positions: [SeenPosition] = []) {
    self.user = user
    self.note = note
    self.dots = dots
    self.positions = positions
  }

  /// The `user` of an acknowledgement that a program made: no person.
  public static let program = UserID(raw: .zero)

  /// Whether a program made it, which shows no caller that a person saw the call (decision 0097).
  public var isByProgram: Bool { user == Self.program }

  /// Whether every replica accepts this value.
  public var isWithinLimits: Bool {
    TextRule.note.accepts(note) && dots.count <= Limits.overruledClaims
      && positions.count <= Limits.seenPositions
  }
}

// MARK: Canonical bytes

extension Accounting {
  func append(to writer: inout ByteWriter) {
    writer.append(note)
    writer.append(claims)
    writer.append(rows)
    writer.append(positions)
    writer.append(away)
  }

  init(from reader: inout ByteReader) throws(DecodingFault) {
    let note = try reader.text()
    let claims = try reader.dots()
    let rows = try reader.identifiers(RowID.self)
    let positions = try reader.positions()
    self.init(
      note: note, claims: claims, rows: rows, positions: positions,
      away: try reader.identifiers(DeviceID.self))
  }
}

extension AlertReply {
  func append(to writer: inout ByteWriter) {
    writer.append(user)
    writer.append(note)
    writer.append(dots)
    writer.append(positions)
  }

  init(from reader: inout ByteReader) throws(DecodingFault) {
    let user = try reader.identifier(UserID.self)
    let note = try reader.text()
    let dots = try reader.dots()
    self.init(user: user, note: note, dots: dots, positions: try reader.positions())
  }
}

extension SeenPosition {
  /// The encoded size: device, generation, incarnation, counter.
  static let encodedBytes = 44
}

extension ByteWriter {
  mutating func append(_ dots: [Dot]) {
    append(UInt32(dots.count))
    for dot in dots { append(dot) }
  }

  mutating func append<ID: Identifier>(_ identifiers: [ID]) {
    append(UInt32(identifiers.count))
    for identifier in identifiers { append(identifier) }
  }

  mutating func append(_ positions: [SeenPosition]) {
    append(UInt32(positions.count))
    for position in positions {
      append(position.device)
      append(position.order)
    }
  }
}

extension ByteReader {
  mutating func dots() throws(DecodingFault) -> [Dot] {
    var dots: [Dot] = []
    for _ in 0..<(try count(ofAtLeast: 18)) { dots.append(try dot()) }
    return dots
  }

  mutating func identifiers<ID: Identifier>(_ type: ID.Type) throws(DecodingFault) -> [ID] {
    var identifiers: [ID] = []
    for _ in 0..<(try count(ofAtLeast: 16)) { identifiers.append(try identifier(type)) }
    return identifiers
  }

  mutating func positions() throws(DecodingFault) -> [SeenPosition] {
    var positions: [SeenPosition] = []
    for _ in 0..<(try count(ofAtLeast: SeenPosition.encodedBytes)) {
      let device = try identifier(DeviceID.self)
      positions.append(SeenPosition(device: device, order: try recordOrder()))
    }
    return positions
  }
}
