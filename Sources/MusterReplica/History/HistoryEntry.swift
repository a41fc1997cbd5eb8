internal import MusterModel
internal import MusterStore

/// What a subject of the history is.
enum HistoryKind: UInt8, Sendable {
  /// A device, or the row of a tracker as a device.
  case fix = 1
  /// A person.
  case status = 2

  /// Of a row about the status of a person in a period without a change: the timeline skips it.
  static let unchangedStatus: UInt8 = 3
  static let rows = fix.rawValue...unchangedStatus
  static let changes = status.rawValue...status.rawValue

  /// Returns the kind of subject of a row; nil for one of a later version.
  init?(row: UInt8) {
    self.init(rawValue: row == Self.unchangedStatus ? Self.status.rawValue : row)
  }
}

/// A device whose fixes, or a person whose statuses, the history records.
struct HistorySubject: Hashable, Sendable {
  let kind: HistoryKind
  let raw: Bytes16
}

/// One thing that this node learnt, or showed. Times are milliseconds of this node's wall clock.
struct HistoryEntry: Hashable, Sendable {
  /// When this node received the fix, or first showed the status.
  let learnt: Int64
  /// When it was so, as this node estimates it. Never after `learnt`.
  let event: Int64
  let content: Content

  enum Content: Hashable, Sendable {
    case fix(HistoryFix)
    /// All conditions that apply, as in `StatusAssessment`; empty for a person who is no longer
    /// listed.
    case status([StatusCondition])
  }

  init(learnt: Int64, event: Int64, _ content: Content) {
    self.learnt = learnt
    self.event = min(event, learnt)
    self.content = content
  }

  var fix: HistoryFix? { if case .fix(let fix) = content { fix } else { nil } }
  /// Whether it is a status of a person who is listed.
  var showsPerson: Bool { !conditions.isEmpty }
  var conditions: [StatusCondition] {
    if case .status(let conditions) = content { conditions } else { [] }
  }
}

/// A place, and the interval in which this node dates it.
struct HistoryFix: Hashable, Sendable {
  let position: Coordinate
  let accuracyDecimetres: UInt32?
  /// Milliseconds by which it may be earlier than its estimate; nil if nothing bounds it.
  let earlierBy: UInt64?
  /// Milliseconds by which it may be later than its estimate.
  let laterBy: UInt64
}

/// An entry with its subject, before it is stored.
struct HistoryNote: Hashable, Sendable {
  let subject: HistorySubject
  /// The person that it is about.
  let person: UserID
  /// The device whose record it is from: its certificate has a bound. That of the person's id for
  /// statuses.
  let author: Bytes16
  let entry: HistoryEntry

  func row(_ body: [UInt8]) -> HistoryRow {
    HistoryRow(
      kind: subject.kind.rawValue, subject: subject.raw, person: person, author: author,
      body: body)
  }
}
