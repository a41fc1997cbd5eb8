/// A hazard report as people see it: of each field the shown value.
public struct ReportSummary: Hashable, Sendable {
  public var id: RowID
  public var title: String
  public var details: String
  public var category: ReportCategory
  /// 1 to 5; nil when its author did not say.
  public var severity: UInt8?
  public var position: Coordinate?
  public var toEvacuate: Bool
  public var status: ReportStatus
  public var owner: UserID
  public var ownerCallsign: String
  /// Callsigns of those who confirmed it, sorted.
  public var confirmations: [String]
  public var comments: [ReportComment]
  public var conflicts: [FieldConflict]
  public var createdAt: Timestamp
  public var updatedAt: Timestamp

  public init(
    id: RowID, title: String, details: String, category: ReportCategory, severity: UInt8?,
    position: Coordinate?, toEvacuate: Bool, status: ReportStatus, owner: UserID,
    ownerCallsign: String, confirmations: [String], comments: [ReportComment],
    conflicts: [FieldConflict], createdAt: Timestamp, updatedAt: Timestamp
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
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

/// What somebody wrote under a report.
public struct ReportComment: Hashable, Sendable {
  public var callsign: String
  public var text: String
  public var writtenAt: Timestamp

  public init(callsign: String, text: String, writtenAt: Timestamp) {
    self.callsign = callsign
    self.text = text
    self.writtenAt = writtenAt
  }
}

/// A field in which people disagree: every value that nobody has superseded, the shown one first.
public struct FieldConflict: Hashable, Sendable {
  public var field: Field
  public var values: [ConflictingValue]

  public init(field: Field, values: [ConflictingValue]) {
    self.field = field
    self.values = values
  }
}

/// One of several values that stand against each other.
public struct ConflictingValue: Hashable, Sendable {
  /// The value in words.
  public var text: String
  public var callsign: String
  public var writtenAt: Timestamp

  public init(text: String, callsign: String, writtenAt: Timestamp) {
    self.text = text
    self.callsign = callsign
    self.writtenAt = writtenAt
  }
}
