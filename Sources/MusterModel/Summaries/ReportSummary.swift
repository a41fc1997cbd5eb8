/// A hazard report as people see it: of each field the shown value.
public struct ReportSummary: Codable, Hashable, Sendable {
  /// The row that commands about this report name.
  public var id: RowID
  /// Empty only while the write that carries it has not arrived.
  public var title: String
  /// Empty when there are none.
  public var details: String
  /// `other` when its author did not say.
  public var category: ReportCategory
  /// 1 to 5; nil when its author did not say.
  public var severity: UInt8?
  /// Nil when the report is not about one place.
  public var position: Coordinate?
  /// True while anybody's unsuperseded call for it stands.
  public var toEvacuate: Bool
  /// Open where one person says open and another resolved.
  public var status: ReportStatus
  /// Who created it, and may change it beside `command`.
  public var owner: UserID
  /// The first digits of the owner's id while no callsign is known.
  public var ownerCallsign: String
  /// Callsigns of those who confirmed it, sorted.
  public var confirmations: [String]
  /// Oldest first, by their authors' clocks.
  public var comments: [ReportComment]
  /// Fields in which people disagree, each with all its values; empty when none.
  public var conflicts: [FieldConflict]
  /// Who holds it, as far as this node knows.
  public var delivery: Delivery
  /// As its author's clock claimed: a label.
  public var createdAt: Timestamp
  /// The latest that any live value's author claimed: a label.
  public var updatedAt: Timestamp

  /// The caller sorts the lists, and gives the shown value of each field.
  public init(
    id: RowID, title: String, details: String, category: ReportCategory, severity: UInt8?,
    position: Coordinate?, toEvacuate: Bool, status: ReportStatus, owner: UserID,
    ownerCallsign: String, confirmations: [String], comments: [ReportComment],
    conflicts: [FieldConflict], delivery: Delivery, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.id = id
    self.title = title
    self.details = details
    self.category = category
    self.severity = severity
    self.position = position
    self.toEvacuate = toEvacuate
    self.status = status
    self.owner = owner
    self.ownerCallsign = ownerCallsign
    self.confirmations = confirmations
    self.comments = comments
    self.conflicts = conflicts
    self.delivery = delivery
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

/// What somebody wrote under a report.
public struct ReportComment: Codable, Hashable, Sendable {
  /// Of its author; the first digits of the user's id while no callsign is known.
  public var callsign: String
  /// At most `Limits.paragraphBytes`, with line feeds.
  public var text: String
  /// As its author's clock claimed: a label.
  public var writtenAt: Timestamp

  /// Comments cannot be edited, so none needs an id here.
  public init(callsign: String, text: String, writtenAt: Timestamp) {
    self.callsign = callsign
    self.text = text
    self.writtenAt = writtenAt
  }
}

/// A field in which people disagree: every value that nobody has superseded, the shown one first.
public struct FieldConflict: Codable, Hashable, Sendable {
  /// Always a last-writer field: flags and sets have no conflicts.
  public var field: Field
  /// At least two: the shown one first, the others by the names of their writes.
  public var values: [ConflictingValue]

  /// The caller MUST put the shown value first.
  public init(field: Field, values: [ConflictingValue]) {
    self.field = field
    self.values = values
  }
}

/// One of several values that stand against each other.
public struct ConflictingValue: Codable, Hashable, Sendable {
  /// The value in words.
  public var text: String
  /// Of who wrote it; the first digits of the user's id while no callsign is known.
  public var callsign: String
  /// As its author's clock claimed: it did not decide which is shown.
  public var writtenAt: Timestamp

  /// `text` is for people; what is stored stays a typed value.
  public init(text: String, callsign: String, writtenAt: Timestamp) {
    self.text = text
    self.callsign = callsign
    self.writtenAt = writtenAt
  }
}
