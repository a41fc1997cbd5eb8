internal import MusterModel

/// The entries of one subject as bytes: a version (2), the number of entries that are the state at
/// the start of the period (0 or 1), then each entry as varints. Times and coordinates are
/// differences from the previous entry, so that a fix takes about 12 bytes.
///
/// | field | coded as |
/// |---|---|
/// | learnt | difference from the previous entry |
/// | event | difference from learnt |
/// | fix | 0, differences of latitude and longitude (1e-7 degree), accuracy in decimetres plus \
/// one (0 if unknown), earlier bound plus one (0 if none), later bound |
/// | status | 1 plus the number of conditions; for each the code of the status, the severity, and \
/// the reason (`PhraseCoding`; in version 1 a text) |
struct HistoryCoding {
  private static let version: UInt8 = 2
  private static let versions: ClosedRange<UInt8> = 1...2
  private static let severities = Severity.allCases
  /// By code: those of the table as it was first, then the ones that were added.
  private static let statuses = PersonStatus.allCases.filter { $0 != .oldPosition } + [.oldPosition]

  let carried: Int
  let entries: [HistoryEntry]

  /// - Parameter carried: how many of the entries are the state at the start of the period.
  init(_ entries: [HistoryEntry], carried: Int = 0) {
    self.carried = carried
    self.entries = entries
  }

  // MARK: Encoding

  func encoded() -> [UInt8] {
    var bytes = [Self.version, UInt8(carried)]
    var last: (learnt: Int64, latitude: Int64, longitude: Int64) = (0, 0, 0)
    for entry in entries {
      Varint.append(signed: entry.learnt &- last.learnt, to: &bytes)
      Varint.append(signed: entry.learnt &- entry.event, to: &bytes)
      last.learnt = entry.learnt
      switch entry.content {
      case .fix(let fix):
        Varint.append(0, to: &bytes)
        let (latitude, longitude) = (
          Int64(fix.position.latitudeE7), Int64(fix.position.longitudeE7)
        )
        Varint.append(signed: latitude - last.latitude, to: &bytes)
        Varint.append(signed: longitude - last.longitude, to: &bytes)
        (last.latitude, last.longitude) = (latitude, longitude)
        Varint.append(fix.accuracyDecimetres.map { UInt64($0) + 1 } ?? 0, to: &bytes)
        Varint.append(fix.earlierBy.map { $0 + 1 } ?? 0, to: &bytes)
        Varint.append(fix.laterBy, to: &bytes)
      case .status(let conditions):
        Varint.append(UInt64(conditions.count) + 1, to: &bytes)
        for condition in conditions {
          bytes.append(UInt8(Self.statuses.firstIndex(of: condition.status) ?? 0))
          bytes.append(UInt8(Self.severities.firstIndex(of: condition.severity) ?? 0))
          PhraseCoding.append(condition.phrase, to: &bytes)
        }
      }
    }
    return bytes
  }

  // MARK: Decoding

  /// Returns nil for bytes of another version of this program: the history then lacks them, and
  /// nothing else depends on it.
  init?(decoding bytes: [UInt8]) {
    guard bytes.count >= 2, Self.versions.contains(bytes[0]), bytes[1] <= 1 else { return nil }
    var reader = Reader(bytes)
    var entries: [HistoryEntry] = []
    do throws(DecodingFault) {
      while reader.place < bytes.count { entries.append(try reader.entry()) }
    } catch {
      return nil
    }
    guard entries.count >= Int(bytes[1]) else { return nil }
    self.init(entries, carried: Int(bytes[1]))
  }

  private struct Reader {
    static let damage = DecodingFault.invalid("an entry of the history")

    private let bytes: [UInt8]
    /// Behind the version and the number of carried entries.
    private(set) var place = 2
    private var learnt: Int64 = 0
    private var latitude: Int64 = 0
    private var longitude: Int64 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func entry() throws(DecodingFault) -> HistoryEntry {
      learnt &+= try signed()
      let event = learnt &- (try signed())
      let form = try number()
      guard form > 0 else { return HistoryEntry(learnt: learnt, event: event, .fix(try fix())) }
      guard form <= UInt64(HistoryCoding.statuses.count) + 1 else { throw Self.damage }
      var conditions: [StatusCondition] = []
      for _ in 1..<form { conditions.append(try condition()) }
      return HistoryEntry(learnt: learnt, event: event, .status(conditions))
    }

    private mutating func fix() throws(DecodingFault) -> HistoryFix {
      latitude &+= try signed()
      longitude &+= try signed()
      let accuracy = try number()
      guard let position = Coordinate(latitudeE7: latitude, longitudeE7: longitude),
        accuracy <= UInt64(UInt32.max) + 1
      else { throw Self.damage }
      let earlier = try number()
      return HistoryFix(
        position: position, accuracyDecimetres: accuracy == 0 ? nil : UInt32(accuracy - 1),
        earlierBy: earlier == 0 ? nil : earlier - 1, laterBy: try number())
    }

    private mutating func condition() throws(DecodingFault) -> StatusCondition {
      guard place + 2 <= bytes.count else { throw Self.damage }
      let (status, severity) = (Int(bytes[place]), Int(bytes[place + 1]))
      guard status < HistoryCoding.statuses.count, severity < HistoryCoding.severities.count
      else { throw Self.damage }
      place += 2
      let (known, level) = (HistoryCoding.statuses[status], HistoryCoding.severities[severity])
      guard bytes[0] > 1 else {
        let reason = try PhraseCoding.text(in: bytes, at: &place)
        return StatusCondition(status: known, severity: level, reason: reason)
      }
      return StatusCondition(
        status: known, severity: level, phrase: try PhraseCoding.phrase(in: bytes, at: &place))
    }

    private mutating func number() throws(DecodingFault) -> UInt64 {
      guard let number = Varint.number(in: bytes, at: &place) else { throw Self.damage }
      return number
    }

    private mutating func signed() throws(DecodingFault) -> Int64 {
      guard let number = Varint.signed(in: bytes, at: &place) else { throw Self.damage }
      return number
    }
  }
}

extension [HistoryNote] {
  /// A batch of the tail: each entry with its subject.
  func encodedTail() -> [UInt8] {
    var writer = ByteWriter()
    for note in self {
      writer.append(note.subject.kind.rawValue)
      writer.append(note.subject.raw)
      writer.append(note.person)
      writer.append(note.author)
      writer.append(lengthPrefixed: HistoryCoding([note.entry]).encoded())
    }
    return writer.bytes
  }

  /// Returns nil for bytes of another version of this program.
  init?(decodingTail bytes: [UInt8]) {
    self = []
    var reader = ByteReader(bytes)
    do throws(DecodingFault) {
      while reader.remaining > 0 {
        guard let kind = HistoryKind(rawValue: try reader.integer(UInt8.self)) else { return nil }
        let subject = HistorySubject(kind: kind, raw: try reader.bytes16())
        let person = try reader.identifier(UserID.self)
        let author = try reader.bytes16()
        guard let coding = HistoryCoding(decoding: try reader.lengthPrefixed()) else { return nil }
        self += coding.entries.map {
          HistoryNote(subject: subject, person: person, author: author, entry: $0)
        }
      }
    } catch {
      return nil
    }
  }
}
