/// One write of a record, as in the field `recordValue`. It repeats the name, so that a reader of
/// the row needs nothing else.
public struct RecordEntry: Hashable, Sendable {
  /// The record.
  public let name: RecordName
  /// Greater than every sync count of the data set that the author's device knew: 1 for the first
  /// write. Concurrent writes may have equal counts.
  public let syncCount: UInt64
  /// When the client changed it, by the client's clock: a label.
  public let modifiedAt: Timestamp
  /// Nil for a removed record, whose row stays so that other devices learn of the removal.
  public let value: String?

  /// Creates an entry. Nothing is validated here: an entry out of range is rejected on write.
  public init(name: RecordName, syncCount: UInt64, modifiedAt: Timestamp, value: String?) {
    self.name = name
    self.syncCount = syncCount
    self.modifiedAt = modifiedAt
    self.value = value
  }

  /// UTF-8 bytes of the key and the value; nil if the record is removed.
  public var storedBytes: Int? { value.map { name.key.utf8.count + $0.utf8.count } }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    name.isWithinLimits && (1...Limits.recordSyncCount).contains(syncCount)
      && (value?.utf8.count ?? 0) <= Limits.recordValueBytes
  }
}

// MARK: Encoding

extension RecordEntry {
  /// Sync count, time, data set, key, 1 with a value or 0, then the value.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(syncCount)
    writer.append(modifiedAt.milliseconds)
    writer.append(name.dataset)
    writer.append(name.key)
    writer.append(UInt8(value == nil ? 0 : 1))
    if let value { writer.append(value) }
    return writer.bytes
  }

  /// Reads what `encoded` returned. Throws for an entry that is not within the limits.
  public init(decoding bytes: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let syncCount = try reader.integer(UInt64.self)
    let modifiedAt = Timestamp(milliseconds: try reader.integer(Int64.self))
    let name = RecordName(dataset: try reader.text(), key: try reader.text())
    let flag = try reader.integer(UInt8.self)
    guard flag <= 1 else { throw .invalid("record flag") }
    let value = flag == 1 ? try reader.text() : nil
    try reader.expectEnd()
    self.init(name: name, syncCount: syncCount, modifiedAt: modifiedAt, value: value)
    guard isWithinLimits else { throw .invalid("record out of range") }
  }

  /// Reads the sync count of an encoded entry, without the rest.
  public static func syncCount(in bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether bytes are an entry that all replicas accept.
  static func accepts(_ bytes: [UInt8]) -> Bool {
    do throws(DecodingFault) {
      _ = try RecordEntry(decoding: bytes)
      return true
    } catch {
      return false
    }
  }
}
