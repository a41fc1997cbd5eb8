internal import MusterModel

/// The writes of a frame as their author packs them: what one has in common with the one before is
/// left out, and a dot of the author's own log is named by how far back it is.
///
///     write   = field (1) ‖ flags (1) ‖ subject ‖ value? ‖ earlier* ‖ others*
///     subject = nothing | row (16) | nonce (16) | row (16) ‖ owner (16) ‖ nonce (16)
///     earlier = distance (varint) ‖ index (varint)
///
/// `docs/wire.md` has the flags and the values. Names are most of a frame otherwise: a report of
/// seven fields takes a fifth of the bytes that it takes with every name in full.
struct PackedWrites {
  private(set) var bytes: [UInt8] = []
  private let place: WritePlace
  private var subject: Subject?

  /// The row that a write is to, as its author may leave it out in the next.
  struct Subject: Hashable {
    let row: RowID
    let origin: RowOrigin?
  }

  enum Flag {
    static let subjectMask: UInt8 = 0b11
    static let hasValue: UInt8 = 1 << 2
    static let earlierShift: UInt8 = 3
    static let earlierMask: UInt8 = 0b111
    /// So many and more are counted in a varint of their own.
    static let earlierCounted = 7
    static let hasOthers: UInt8 = 1 << 6
    /// Nobody sets it yet: a reader that meets it is too old.
    static let reserved: UInt8 = 1 << 7
  }

  enum SubjectForm: UInt8 {
    case asBefore = 0
    case row = 1
    case created = 2
    case full = 3
  }

  init(in place: WritePlace) { self.place = place }

  mutating func append(_ write: Write) {
    let subject = Subject(row: write.row, origin: write.origin)
    let form = form(of: subject)
    var flags = form.rawValue
    if write.value != nil { flags |= Flag.hasValue }
    let earlier = write.supersedesEarlier
    flags |= UInt8(min(earlier.count, Flag.earlierCounted)) << Flag.earlierShift
    if !write.supersedes.isEmpty { flags |= Flag.hasOthers }
    bytes.append(write.field.rawValue)
    bytes.append(flags)
    append(subject, as: form)
    if let value = write.value { append(value) }
    if earlier.count >= Flag.earlierCounted { append(varint: UInt64(earlier.count)) }
    for seen in earlier {
      precondition(seen.sequence < place.sequence, "\(seen) is not before \(place.sequence)")
      append(varint: place.sequence - seen.sequence)
      append(varint: UInt64(seen.index))
    }
    if !write.supersedes.isEmpty {
      append(varint: UInt64(write.supersedes.count))
      for dot in write.supersedes {
        append(dot.frame)
        append(dot.index)
      }
    }
    self.subject = subject
  }

  private func form(of subject: Subject) -> SubjectForm {
    if subject == self.subject { return .asBefore }
    guard let origin = subject.origin else { return .row }
    let isOwn =
      origin.owner == place.author
      && RowID(operation: place.operation, origin: origin) == subject.row
    return isOwn ? .created : .full
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
