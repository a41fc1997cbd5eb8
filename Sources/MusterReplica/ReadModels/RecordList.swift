internal import MusterCRDT
internal import MusterModel
internal import MusterSync

/// The records of one user, from their rows.
struct RecordList {
  /// One record: its row, and the entries of its live values, the shown one first.
  struct Record {
    let row: RowState
    let entries: [RecordEntry]
    let writtenAt: Timestamp

    var shown: RecordEntry { entries[0] }
  }

  private(set) var records: [RecordName: Record] = [:]

  /// Reads rows of one user. An entry that names another record than its row is ignored: only a
  /// modified program writes one.
  init(_ rows: [RowState]) {
    for row in rows {
      guard let shown = row.shown(.recordValue), let origin = row.origin else { continue }
      let others = row.values(of: .recordValue).filter { $0 != shown }
      let entries = ([shown] + others).compactMap(Self.entry).filter {
        RowOrigin(record: $0.name, of: origin.owner) == origin
      }
      guard let first = entries.first else { continue }
      records[first.name] = Record(row: row, entries: entries, writtenAt: shown.writtenAt)
    }
  }

  private static func entry(in value: LiveValue) -> RecordEntry? {
    guard case .bytes(let bytes) = value.value else { return nil }
    do throws(DecodingFault) {
      return try RecordEntry(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// The data sets by name, each with its records by key.
  var datasets: [RecordDataset] {
    Dictionary(grouping: records.sorted { $0.key < $1.key }, by: \.key.dataset)
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { name, records in
        RecordDataset(name: name, records: records.map { Self.summary(of: $0.value) })
      }
  }

  /// The greatest sync count of a data set, removed records included; 0 without any.
  func syncCount(of dataset: String) -> UInt64 {
    records.lazy.filter { $0.key.dataset == dataset }
      .flatMap(\.value.entries).map(\.syncCount).max() ?? 0
  }

  static func summary(of record: Record) -> RecordSummary {
    RecordSummary(
      key: record.shown.name.key, value: record.shown.value, syncCount: record.shown.syncCount,
      modifiedAt: record.shown.modifiedAt, writtenAt: record.writtenAt,
      otherValues: record.entries.dropFirst().map(\.value))
  }
}
