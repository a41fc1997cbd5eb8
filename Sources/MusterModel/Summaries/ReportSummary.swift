/// A hazard report for display, with the shown value of each field.
public struct ReportSummary: Codable, Hashable, Sendable {
  /// The row that commands about this report name.
  public var id: RowID
  /// Empty only while the write that contains it has not arrived.
  public var title: String
  /// Empty if there are none.
  public var details: String
  /// `other` if its author did not state one.
  public var category: ReportCategory
  /// 1 to 5; nil if its author did not state one.
  public var severity: UInt8?
  /// Nil for a report without a position.
  public var position: Coordinate?
  /// Whether any live flag demands evacuation.
  public var toEvacuate: Bool
  /// In a conflict, open wins over resolved.
  public var status: ReportStatus
  /// The user who created it, and may change it as `command` may.
  public var owner: UserID
  /// Who created it.
  public var authorship: Authorship
  /// Who confirmed what it shows, as texts, sorted; each person once.
  public var confirmations: [String]
  /// Everyone who confirmed it, also those whose confirmation does not count.
  public var confirmedBy: [ReportConfirmation] = []
  /// What a confirmation of this states (`ConfirmedContent`), in hexadecimal.
  public var content = ""
  /// Oldest first, by their authors' clocks; of an author below command at most
  /// `Limits.commentsOfAuthor`, the newest.
  public var comments: [ReportComment]
  /// The number of comments that are not shown.
  public var moreComments = 0
  /// The fields in conflict, each with all its values.
  public var conflicts: [FieldConflict]
  /// How many photos it has; at most `Limits.photosPerReport`.
  public var photoCount: Int
  /// Oldest first, by their authors' clocks; empty in lists of reports.
  public var photos: [PhotoSummary]
  /// The delivery status, as known to this node.
  public var delivery: Delivery
  /// By its author's clock: a label.
  public var createdAt: Timestamp
  /// The latest time that the author of any live value claimed: a label.
  public var updatedAt: Timestamp

  /// Creates a summary. The caller sorts the lists, and gives the shown value of each field.
  public init(
    id: RowID, title: String, details: String, category: ReportCategory, severity: UInt8?,
    position: Coordinate?, toEvacuate: Bool, status: ReportStatus, owner: UserID,
    ownerCallsign authorship: Authorship, confirmations: [String], comments: [ReportComment],
    conflicts: [FieldConflict], photoCount: Int = 0, photos: [PhotoSummary] = [],
    delivery: Delivery, createdAt: Timestamp, updatedAt: Timestamp
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
    self.authorship = authorship
    self.confirmations = confirmations
    self.comments = comments
    self.conflicts = conflicts
    self.photoCount = photoCount
    self.photos = photos
    self.delivery = delivery
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  /// The text of `authorship`.
  public var ownerCallsign: String { authorship.text }
}

/// A comment on a report.
public struct ReportComment: Codable, Hashable, Sendable {
  /// Who wrote it.
  public var authorship: Authorship
  /// At most `Limits.paragraphBytes`, with line feeds.
  public var text: String
  /// By its author's clock: a label.
  public var writtenAt: Timestamp

  /// Creates a comment. Comments cannot be edited, so none needs an id here.
  public init(callsign authorship: Authorship, text: String, writtenAt: Timestamp) {
    self.authorship = authorship
    self.text = text
    self.writtenAt = writtenAt
  }

  /// The text of `authorship`.
  public var callsign: String { authorship.text }
}

/// A field in conflict: all values that are not superseded, the shown one first.
public struct FieldConflict: Codable, Hashable, Sendable {
  /// Always a last-writer field: flags and sets have no conflicts.
  public var field: Field
  /// At least two: the shown one first, the others in the order of their dots. At most
  /// `Limits.conflictingValues`.
  public var values: [ConflictingValue]

  /// Creates a conflict. The caller MUST put the shown value first.
  public init(field: Field, values: [ConflictingValue]) {
    self.field = field
    self.values = values
  }
}

/// One of the values of a conflict.
public struct ConflictingValue: Codable, Hashable, Sendable {
  /// The value as text.
  public var text: String
  /// The text of its authorship.
  public var callsign: String
  /// By its author's clock, which does not decide what is shown.
  public var writtenAt: Timestamp

  /// Creates a value. `text` is for people; the stored value stays typed.
  public init(text: String, callsign: String, writtenAt: Timestamp) {
    self.text = text
    self.callsign = callsign
    self.writtenAt = writtenAt
  }
}
