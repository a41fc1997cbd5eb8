/// The name of one record of a user: a data set, and a key in it. Every device of the user derives
/// the same row from it, so concurrent creates of one record are writes to one row.
public struct RecordName: Codable, Hashable, Comparable, Sendable {
  /// Letters, digits, `_`, `.`, `:` and `-`, as in Cognito Sync.
  public let dataset: String
  /// Any text that is not empty.
  public let key: String

  /// Creates a name. Nothing is validated here: a name out of range is rejected on write.
  public init(dataset: String, key: String) {
    self.dataset = dataset
    self.key = key
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    Self.accepts(dataset: dataset) && (1...Limits.recordKeyBytes).contains(key.utf8.count)
  }

  /// Whether a data set may have this name.
  public static func accepts(dataset: String) -> Bool {
    (1...Limits.recordDatasetBytes).contains(dataset.utf8.count)
      && dataset.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "."),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Orders by data set, then by key, both by their bytes.
  public static func < (left: RecordName, right: RecordName) -> Bool {
    left.dataset.utf8.elementsEqual(right.dataset.utf8)
      ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
      : left.dataset.utf8.lexicographicallyPrecedes(right.dataset.utf8)
  }

  /// Compares bytes: two keys that are equal as Unicode may be two records.
  public static func == (left: RecordName, right: RecordName) -> Bool {
    left.dataset.utf8.elementsEqual(right.dataset.utf8)
      && left.key.utf8.elementsEqual(right.key.utf8)
  }

  /// Hashes the bytes that `==` compares.
  public func hash(into hasher: inout Hasher) {
    for byte in dataset.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8(0))
    for byte in key.utf8 { hasher.combine(byte) }
  }
}
