/// A report on a timer: the newest one states when the next check-in is due.
public struct CheckInReport: Codable, Hashable, Sendable {
  /// What the author did.
  public let kind: CheckInReportKind
  /// Seconds from this report to the next due time, at most `Limits.spanSeconds`; 0 if nothing more
  /// is due.
  public let nextSeconds: UInt32
  /// A reason or a remark; may be empty.
  public let note: String

  /// Creates a report. Nothing is validated here: a value out of range is rejected on write.
  public init(kind: CheckInReportKind, nextSeconds: UInt32, note: String) {
    self.kind = kind
    self.nextSeconds = nextSeconds
    self.note = note
  }

  /// Whether all replicas accept it.
  public var isWithinLimits: Bool {
    guard TextRule.note.accepts(note), nextSeconds <= Limits.spanSeconds else { return false }
    switch kind {
    case .ok: return true
    case .extend: return nextSeconds > 0
    case .stop: return nextSeconds == 0
    }
  }

  /// Appends kind, seconds and note.
  public func append(to writer: inout ByteWriter) {
    writer.append(kind.rawValue)
    writer.append(nextSeconds)
    writer.append(note)
  }

  /// Reads what `append(to:)` wrote.
  public init(from reader: inout ByteReader) throws(DecodingFault) {
    guard let kind = CheckInReportKind(rawValue: try reader.integer(UInt8.self)) else {
      throw .invalid("unknown kind of check-in")
    }
    let seconds = try reader.integer(UInt32.self)
    self.init(kind: kind, nextSeconds: seconds, note: try reader.text())
  }
}

/// The kinds of report on a timer. Numbers are on the wire and append-only.
public enum CheckInReportKind: UInt8, Codable, Sendable, NamedCase, Hashable {
  /// The person is well. A repeating timer starts again, any other is done.
  case ok = 1
  /// The due time is later.
  case extend = 2
  /// The timer ends without a check-in.
  case stop = 3
}

/// The state of a timer at one node. Numbers are on the control socket.
public enum CheckInState: UInt8, Codable, Sendable, NamedCase, Hashable, Comparable {
  /// A check-in ended it, or it was stopped.
  case done = 0
  /// The next check-in is not due yet.
  case running = 1
  /// The due time is near.
  case reminder = 2
  /// The due time may have passed.
  case due = 3
  /// The due time has passed.
  case overdue = 4
  /// The grace period has passed too.
  case unaccounted = 5

  /// The more urgent is greater.
  public static func < (left: CheckInState, right: CheckInState) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// A timer to start.
public struct CheckInDraft: Codable, Hashable, Sendable {
  /// Seconds from now to the first due time: 1 to `Limits.spanSeconds`.
  public var durationSeconds: UInt32
  /// Whether each check-in starts the duration again.
  public var repeats: Bool
  /// Seconds from the due time until the person is unaccounted for.
  public var graceSeconds: UInt32
  /// Seconds before the due time at which the person is reminded.
  public var reminderSeconds: UInt32
  /// Route, air supply, emergency contact; may be empty.
  public var note: String
  /// Seconds without movement after which the person is asked: `Limits.leastStillSeconds` or more;
  /// 0 for never.
  public var stillSeconds: UInt32 = 0

  /// The grace period unless another is given.
  public static let usualGraceSeconds: UInt32 = 120

  /// Creates a draft. Nothing is validated here: a value out of range is rejected on write.
  public init(
    durationSeconds: UInt32, repeats: Bool, graceSeconds: UInt32 = usualGraceSeconds,
    reminderSeconds: UInt32 = 60, note: String = ""
  ) {
    self.durationSeconds = durationSeconds
    self.repeats = repeats
    self.graceSeconds = graceSeconds
    self.reminderSeconds = reminderSeconds
    self.note = note
  }
}

/// A timer as known to this node.
public struct CheckInSummary: Codable, Hashable, Sendable {
  /// The timer's row.
  public var id: RowID
  /// The user, or the tracker's carrier, who must check in.
  public var user: UserID
  /// Their callsign.
  public var callsign: String
  /// The state.
  public var state: CheckInState
  /// Seconds until the earliest possible due time, negative after it; nil if that is not known, or
  /// nothing is due.
  public var earliestSeconds: Int64?
  /// Seconds until the latest possible due time, negative after it; nil if nothing is due.
  public var latestSeconds: Int64?
  /// Seconds between two check-ins, or from the start to the only one.
  public var durationSeconds: UInt32
  /// Whether each check-in starts the duration again.
  public var repeats: Bool
  /// Seconds from the due time until the person is unaccounted for.
  public var graceSeconds: UInt32
  /// Empty for none.
  public var note: String
  /// The author of the timer.
  public var startedBy: String
  /// By the author's clock: a label.
  public var startedAt: Timestamp
  /// The newest report; nil while no check-in was received here.
  public var report: CheckInReport?
  /// The author of the newest report; empty without one.
  public var reportedBy: String
  /// By that author's clock: a label.
  public var reportedAt: Timestamp?
  /// Seconds without movement after which the person is asked; 0 for never.
  public var stillSeconds: UInt32 = 0
  /// Whether the state follows from a lack of movement.
  public var isStill = false

  /// Creates a timer's summary without a report.
  public init(
    id: RowID, user: UserID, callsign: String, state: CheckInState, durationSeconds: UInt32,
    repeats: Bool, graceSeconds: UInt32, note: String, startedBy: String, startedAt: Timestamp
  ) {
    self.id = id
    self.user = user
    self.callsign = callsign
    self.state = state
    self.durationSeconds = durationSeconds
    self.repeats = repeats
    self.graceSeconds = graceSeconds
    self.note = note
    self.startedBy = startedBy
    self.startedAt = startedAt
    reportedBy = ""
  }
}
