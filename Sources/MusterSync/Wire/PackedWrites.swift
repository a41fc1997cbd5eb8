internal import MusterModel

/// The packed encoding of the writes of a frame (docs/wire.md §4). A write omits what it shares
/// with the write before it. It refers to a row that the log has named earlier by that position,
/// and supersedes earlier writes of its own log without naming them.
///
///     write   = field (1) ‖ flags (1) ‖ subject ‖ value? ‖ others*
///     subject = nothing | row (16) | nonce (16) | row (16) ‖ owner (16) ‖ nonce (16)
///             | distance (varint) ‖ index (varint)
///
/// Without it, identifiers would be most of a frame: a report of seven fields takes a fifth of the
/// bytes that it takes with every identifier in full.
struct PackedWrites {
  private(set) var bytes: [UInt8] = []
  /// The number of writes, including those that are folded into the write before.
  private(set) var count = 0
  /// Rows that are named in full here, with their index among these writes.
  private(set) var named: [Named] = []
  private let place: WritePosition
  private var subject: Subject?
  /// The index of the flags of the previous write, as long as a write of the row's existence can be
  /// folded into it.
  private var foldable: Int?

  /// The row of a write, which the next write omits if it is the same.
  struct Subject: Hashable {
    let row: RowID
    let origin: RowOrigin?
  }

  struct Named {
    let subject: Subject
    let index: Int
  }

  enum Flag {
    static let subjectMask: UInt8 = 0b111
    static let hasValue: UInt8 = 1 << 3
    static let takesEarlier: UInt8 = 1 << 4
    static let hasOthers: UInt8 = 1 << 5
    /// A write of the existence of the same row follows, and is omitted.
    static let exists: UInt8 = 1 << 6
    /// Not in use. A reader that finds it set needs a later version.
    static let reserved: UInt8 = 1 << 7
  }

  enum SubjectForm: UInt8 {
    case asBefore = 0
    case row = 1
    case created = 2
    case full = 3
    case earlier = 4
  }

  init(in place: WritePosition) { self.place = place }

  /// A position in the encoding to which `restore` returns, without a copy of the bytes.
  struct Mark {
    fileprivate let bytes: Int
    fileprivate let count: Int
    fileprivate let named: Int
    fileprivate let subject: Subject?
    fileprivate let foldable: (index: Int, flags: UInt8)?
  }

  var mark: Mark {
    Mark(
      bytes: bytes.count, count: count, named: named.count, subject: subject,
      foldable: foldable.map { ($0, bytes[$0]) })
  }

  /// Removes everything that was appended since a mark.
  mutating func restore(_ mark: Mark) {
    bytes.removeSubrange(mark.bytes...)
    named.removeSubrange(mark.named...)
    (count, subject, foldable) = (mark.count, mark.subject, mark.foldable?.index)
    if let foldable = mark.foldable { bytes[foldable.index] = foldable.flags }
  }

  /// - Parameter mentions: rows that earlier frames of the same log and epoch name in full.
  mutating func append(_ write: Write, knowing mentions: RowMentions) {
    let mention = mentions.mention(of: write.row, withOrigin: write.origin != nil)
    let subject = Subject(row: write.row, origin: mention == nil ? write.origin : nil)
    if let foldable, isFolded(write, to: subject) {
      bytes[foldable] |= Flag.exists
      self.foldable = nil
      count += 1
      return
    }
    let form: SubjectForm =
      subject == self.subject ? .asBefore : mention != nil ? .earlier : form(of: subject)
    var flags = form.rawValue
    if write.value != nil { flags |= Flag.hasValue }
    if write.takesEarlier { flags |= Flag.takesEarlier }
    if !write.supersedes.isEmpty { flags |= Flag.hasOthers }
    bytes.append(write.field.rawValue)
    foldable = bytes.count
    bytes.append(flags)
    if form == .earlier, let mention { append(mention) } else { append(subject, as: form) }
    if let value = write.value { append(value) }
    if !write.supersedes.isEmpty { append(write.supersedes) }
    if form != .asBefore, form != .earlier { named.append(Named(subject: subject, index: count)) }
    self.subject = subject
    count += 1
  }

  /// Returns whether a write only states that the row of the previous write exists.
  private func isFolded(_ write: Write, to subject: Subject) -> Bool {
    write.field == Field.existence(of: write.field.entity) && subject == self.subject
      && write.value == .mark && write.takesEarlier && write.supersedes.isEmpty
      && foldable.map { Field(rawValue: bytes[$0 - 1])?.entity } == write.field.entity
  }

  private func form(of subject: Subject) -> SubjectForm {
    guard let origin = subject.origin else { return .row }
    let isOwn =
      origin.owner == place.author
      && RowID(operation: place.operation, origin: origin) == subject.row
    return isOwn ? .created : .full
  }

  private mutating func append(_ mention: RowMentions.Mention) {
    precondition(mention.sequence < place.sequence, "\(mention) is not before \(place.sequence)")
    append(varint: place.sequence - mention.sequence)
    append(varint: UInt64(mention.index))
  }

  private mutating func append(_ subject: Subject, as form: SubjectForm) {
    if form == .row || form == .full { append(subject.row.raw) }
    if form == .full { append((subject.origin?.owner ?? place.author).raw) }
    if form == .created || form == .full { append(subject.origin?.nonce ?? .zero) }
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .text(let text): append(text)
    case .code(let code): bytes.append(code)
    case .position(let position):
      append(position.latitudeE7)
      append(position.longitudeE7)
    case .geometry(let geometry):
      let encoded = geometry.encoded
      append(varint: UInt64(encoded.count))
      bytes += encoded
    case .claim(let claim, let note):
      bytes.append(claim.rawValue)
      append(note)
    case .mark: break
    case .reference(let row): append(row.raw)
    case .time(let moment): append(moment.milliseconds)
    case .number(let number): append(number)
    case .bytes(let content):
      append(varint: UInt64(content.count))
      bytes += content
    case .reply(let user, let note):
      append(user.raw)
      append(note)
    case .overruling(let claim, let note, let seen):
      bytes.append(claim.rawValue)
      append(note)
      append(seen)
    case .profile(let profile):
      var writer = ByteWriter()
      profile.append(to: &writer)
      bytes += writer.bytes
    case .photo(let photo):
      var writer = ByteWriter()
      photo.append(to: &writer)
      bytes += writer.bytes
    case .accounting, .relayedClaim, .signOff, .signOn, .alertReply, .trackerReply, .checkIn:
      appendPersonal(value)
    }
  }

  private mutating func appendPersonal(_ value: Value) {
    switch value {
    case .accounting(let accounting):
      bytes.append(PackedWrites.accountingCode)
      append(accounting.note)
      append(accounting.claims)
      append(accounting.rows)
      append(accounting.positions)
      append(accounting.away)
    case .relayedClaim(let claim, let note, let login, let seen):
      bytes.append(claim.rawValue)
      append(note)
      append(login)
      append(seen)
    case .signOff(let reason, let seen):
      bytes.append(PackedWrites.signOffCode)
      append(reason)
      append(seen)
    case .signOn(let reason):
      bytes.append(PackedWrites.signOnCode)
      append(reason)
      append([RowID]())
    case .alertReply(let reply):
      append(reply.user.raw)
      append(reply.note)
      append(reply.dots)
      append(reply.positions)
    case .trackerReply(let nonce, let note):
      append(nonce)
      append(note)
    case .checkIn(let report):
      bytes.append(report.kind.rawValue)
      append(report.nextSeconds)
      append(report.note)
    default: preconditionFailure("\(value) is packed in another way")
    }
  }

  /// The code of an accounting, in the position of the claim of an override.
  static let accountingCode: UInt8 = 3
  static let signOffCode: UInt8 = 1
  static let signOnCode: UInt8 = 2

  private mutating func append<ID: Identifier>(_ identifiers: [ID]) {
    append(varint: UInt64(identifiers.count))
    for identifier in identifiers { append(identifier.raw) }
  }

  private mutating func append(_ positions: [SeenPosition]) {
    append(varint: UInt64(positions.count))
    for position in positions {
      append(position.device.raw)
      append(position.order.generation)
      append(position.order.incarnation.raw)
      append(position.order.counter)
    }
  }

  private mutating func append(_ dots: [Dot]) {
    append(varint: UInt64(dots.count))
    for dot in dots {
      append(dot.frame)
      append(dot.index)
    }
  }

  private mutating func append(_ text: String) {
    append(varint: UInt64(text.utf8.count))
    bytes += text.utf8
  }

  private mutating func append(_ raw: Bytes16) {
    append(raw.high)
    append(raw.low)
  }

  private mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
