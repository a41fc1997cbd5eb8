/// What a report shows and a confirmation is about: the shown value of each of these fields. Its
/// status, its photos and its comments are not part of it.
public struct ReportContent: Hashable, Sendable {
  /// Empty while the write that contains it has not arrived.
  public var title: String
  /// `other` if the report states none.
  public var category: ReportCategory
  /// 1 to 5; nil if the report states none.
  public var severity: UInt8?
  /// Nil for a report without a position.
  public var position: Coordinate?
  /// Whether any live flag demands evacuation.
  public var toEvacuate: Bool
  /// Empty if there are none.
  public var details: String

  /// Creates a content from shown values.
  public init(
    title: String, category: ReportCategory, severity: UInt8?, position: Coordinate?,
    toEvacuate: Bool, details: String
  ) {
    self.title = title
    self.category = category
    self.severity = severity
    self.position = position
    self.toEvacuate = toEvacuate
    self.details = details
  }
}

/// What the author of a confirmation saw, as two hashes (decision 0107).
///
/// The confirmation counts while the report shows exactly this. The description has a hash of its
/// own, so that a program that shows none of it can compare the rest.
public struct ConfirmedContent: Hashable, Sendable {
  /// Over title, category, severity, position and evacuation.
  public let shown: Bytes16
  /// Over the description.
  public let details: Bytes16

  /// The size of `encoded`.
  public static let encodedBytes = 32

  /// Creates a content from its hashes.
  public init(shown: Bytes16, details: Bytes16) {
    self.shown = shown
    self.details = details
  }

  /// Reads what `encoded` returned; nil for another length.
  public init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.encodedBytes, let shown = Bytes16(bytes[..<16]),
      let details = Bytes16(bytes[16...])
    else { return nil }
    self.init(shown: shown, details: details)
  }

  /// The value of a confirmation: `shown`, then `details`.
  public var encoded: [UInt8] { shown.bytes + details.bytes }
}
