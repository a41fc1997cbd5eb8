internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// What a change of a zone or a report replaced: the shown values that differ, as they were before.
///
/// Encoded as a version (1), a code for its existence, then for each field its number, the label
/// of the value's time, and the value with its length (0 for none).
struct EarlierRow: Hashable, Sendable {
  private static let version: UInt8 = 1
  /// The fields that a map shows.
  static let shown: [EntityKind: [Field]] = [
    .fence: [.fenceName, .fenceKind, .fenceGeometry, .fenceActive],
    .report: [
      .reportTitle, .reportCategory, .reportSeverity, .reportPosition, .reportToEvacuate,
      .reportStatus,
    ],
  ]
  /// The kinds of late entries.
  static let kinds: [EntityKind: UInt8] = [.fence: 4, .report: 5]

  /// A value that was shown, by the clock of its author.
  struct Shown: Hashable, Sendable {
    /// Nil if the field had none.
    let value: Value?
    let writtenAt: Int64

    init(value: Value?, writtenAt: Int64) { (self.value, self.writtenAt) = (value, writtenAt) }

    init(_ field: Field, of row: RowState) {
      let live = row.shown(field)
      self.init(value: live?.value, writtenAt: live?.writtenAt.milliseconds ?? .min)
    }
  }

  /// Whether the row existed; nil if the change did not affect that.
  let existed: Bool?
  /// By field; of its existence the time of its creation.
  let fields: [Field: Shown]

  /// Nil for a change that no map shows.
  init?(from before: RowState, to after: RowState) {
    let isOther = before.exists != after.exists
    var fields: [Field: Shown] = [:]
    for field in Self.shown[before.key.kind] ?? [] {
      let old = Shown(field, of: before)
      if old.value != Shown(field, of: after).value { fields[field] = old }
    }
    // A deletion ends it, and the write of an earlier time may arrive late.
    if let existence = Field.existence(of: before.key.kind), let created = before.createdAt,
      created != after.createdAt
    {
      fields[existence] = Shown(value: .mark, writtenAt: created.milliseconds)
    }
    guard isOther || before.exists && !fields.isEmpty else { return nil }
    (existed, self.fields) = (isOther ? before.exists : nil, fields)
  }

  // MARK: Coding

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.version)
    writer.append(existed.map { $0 ? UInt8(2) : 1 } ?? 0)
    for (field, shown) in fields.sorted(by: { $0.key < $1.key }) {
      writer.append(field.rawValue)
      writer.append(shown.writtenAt)
      var value = ByteWriter()
      shown.value?.append(to: &value)
      writer.append(lengthPrefixed: value.bytes)
    }
    return writer.bytes
  }

  /// Nil for bytes of another version of this program.
  init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(DecodingFault) {
      guard try reader.integer(UInt8.self) == Self.version else { return nil }
      let existence = try reader.integer(UInt8.self)
      var fields: [Field: Shown] = [:]
      while reader.remaining > 0 {
        guard let field = Field(rawValue: try reader.integer(UInt8.self)) else { return nil }
        let time = try reader.integer(Int64.self)
        let encoded = try reader.lengthPrefixed()
        var inner = ByteReader(encoded)
        let value = encoded.isEmpty ? nil : try Value(from: &inner)
        try inner.expectEnd()
        fields[field] = Shown(value: value, writtenAt: time)
      }
      (existed, self.fields) = (existence == 0 ? nil : existence == 2, fields)
    } catch {
      return nil
    }
  }
}
