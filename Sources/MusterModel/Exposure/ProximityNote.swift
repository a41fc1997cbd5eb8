/// A span of time with devices nearby, as its owner sends it to command.
public struct NoteSession: Codable, Hashable, Sendable {
  /// The first interval of ten minutes, counted from 1970.
  public let first: UInt32
  /// The interval after the last one.
  public let end: UInt32
  /// The different identifiers.
  public let identifiers: UInt16
  /// Names that devices nearby advertised, at most `Limits.namesPerSession`.
  public let names: [String]

  /// Creates a session. Nothing is validated here.
  public init(first: UInt32, end: UInt32, identifiers: UInt16, names: [String]) {
    self.first = first
    self.end = end
    self.identifiers = identifiers
    self.names = names
  }

  private static let milliseconds: Int64 = 600_000
  /// When it starts.
  public var start: Timestamp { Timestamp(milliseconds: Int64(first) * Self.milliseconds) }
  /// When it ends.
  public var stop: Timestamp { Timestamp(milliseconds: Int64(end) * Self.milliseconds) }
}

/// What a device sends to command about exposures: all of it in one note, which replaces the note
/// before. It is padded to one length and sealed, so that no one but command sees whether it
/// reports an exposure, withdraws a report, or only has sessions (decision 0060).
public struct ProximityNote: Hashable, Sendable {
  /// The exposure that the person reports; nil for none.
  public let report: ExposureNotice?
  /// The keys of the reports that the person withdrew, newest last.
  public var withdrawn: [WithdrawalKey] = []
  /// The published notices that concern the person, if the person agreed to be counted.
  public var matched: [ExposureID] = []
  /// The newest first, if the person agreed to send sessions. What does not fit is left out.
  public var sessions: [NoteSession] = []

  /// Creates a note without withdrawals, matches and sessions.
  public init(report: ExposureNotice? = nil) { self.report = report }
}

// MARK: Encoding

extension ProximityNote {
  private static let version: UInt8 = 1
  private static let longestName = 32

  /// The note of `Limits.proximityNoteBytes` bytes: version, 1 with a report or 0, the report, the
  /// withdrawals and the matches (number, then 16 each), the number of sessions, then for each the
  /// two intervals (4), the identifiers (2) and the names (number, then a length and the text).
  /// Zeros follow.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: Limits.proximityNoteBytes)
    writer.append(Self.version)
    writer.append(UInt8(report == nil ? 0 : 1))
    report?.append(to: &writer)
    Self.append(withdrawn.suffix(Limits.exposureWithdrawals), to: &writer)
    Self.append(matched.prefix(Limits.exposureNotices), to: &writer)
    let room = Limits.proximityNoteBytes - writer.bytes.count - 1
    let shown = Self.encoded(sessions, room: room)
    writer.append(UInt8(shown.count))
    for session in shown { writer.append(fixed: session) }
    return writer.bytes
      + [UInt8](repeating: 0, count: Limits.proximityNoteBytes - writer.bytes.count)
  }

  private static func append(_ ids: ArraySlice<some Identifier>, to writer: inout ByteWriter) {
    writer.append(UInt8(ids.count))
    for id in ids { writer.append(id) }
  }

  private static func encoded(_ sessions: [NoteSession], room: Int) -> [[UInt8]] {
    var (shown, length): ([[UInt8]], Int) = ([], 0)
    for session in sessions.prefix(Limits.noteSessions) {
      var writer = ByteWriter()
      writer.append(session.first)
      writer.append(session.end)
      writer.append(session.identifiers)
      // Any device nearby chooses its name.
      let names = session.names
        .filter { $0.utf8.count <= longestName && TextRule.line.accepts($0) }
        .prefix(Limits.namesPerSession)
      writer.append(UInt8(names.count))
      for name in names {
        writer.append(UInt8(name.utf8.count))
        writer.append(fixed: Array(name.utf8))
      }
      length += writer.bytes.count
      guard length <= room else { break }
      shown.append(writer.bytes)
    }
    return shown
  }

  /// Reads what `encoded` returned, from an author who may be hostile.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    guard bytes.count == Limits.proximityNoteBytes,
      try reader.integer(UInt8.self) == Self.version
    else { throw .invalid("proximity note") }
    report = try reader.integer(UInt8.self) == 1 ? try ExposureNotice(from: &reader) : nil
    withdrawn = try Self.ids(from: &reader, most: Limits.exposureWithdrawals)
    matched = try Self.ids(from: &reader, most: Limits.exposureNotices)
    let count = Int(try reader.integer(UInt8.self))
    guard count <= Limits.noteSessions else { throw .invalid("sessions") }
    for _ in 0..<count { sessions.append(try Self.session(from: &reader)) }
    guard try reader.fixed(reader.remaining).allSatisfy({ $0 == 0 }) else {
      throw .trailingBytes
    }
  }

  private static func ids<ID: Identifier>(
    from reader: inout ByteReader, most: Int
  ) throws(DecodingFault) -> [ID] {
    let count = Int(try reader.integer(UInt8.self))
    guard count <= most else { throw .invalid("ids") }
    var ids: [ID] = []
    for _ in 0..<count { ids.append(try reader.identifier(ID.self)) }
    return ids
  }

  private static func session(from reader: inout ByteReader) throws(DecodingFault) -> NoteSession {
    let (first, end) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
    let identifiers = try reader.integer(UInt16.self)
    let count = Int(try reader.integer(UInt8.self))
    guard first < end, count <= Limits.namesPerSession else { throw .invalid("session") }
    var names: [String] = []
    for _ in 0..<count {
      let length = Int(try reader.integer(UInt8.self))
      guard length <= longestName,
        let name = String(validating: try reader.fixed(length), as: UTF8.self),
        TextRule.line.accepts(name)
      else { throw .invalid("name") }
      names.append(name)
    }
    return NoteSession(first: first, end: end, identifiers: identifiers, names: names)
  }
}

// MARK: Sealed form

extension ProximityNote {
  /// A sealed box with the note's key.
  public static let boxBytes = 80
  /// The sealed note: nonce, ciphertext, tag.
  public static let bodyBytes = Limits.proximityNoteBytes + 40

  /// Whether bytes have the length of a sealed note: the number of boxes (1), the boxes, the body.
  static func accepts(sealed bytes: [UInt8]) -> Bool {
    guard let boxes = bytes.first, (1...Limits.noteRecipients).contains(Int(boxes)) else {
      return false
    }
    return bytes.count == 1 + Int(boxes) * boxBytes + bodyBytes
  }
}

// MARK: Display

/// A note that command opened, with its author.
public struct ReceivedNote: Hashable, Sendable {
  /// The author.
  public let user: UserID
  /// The author's name.
  public let callsign: String
  /// The author's device.
  public let device: DeviceID
  /// The content.
  public let note: ProximityNote
  /// By the author's clock: a label.
  public let writtenAt: Timestamp

  /// Creates a received note.
  public init(
    user: UserID, callsign: String, device: DeviceID, note: ProximityNote, writtenAt: Timestamp
  ) {
    self.user = user
    self.callsign = callsign
    self.device = device
    self.note = note
    self.writtenAt = writtenAt
  }
}
