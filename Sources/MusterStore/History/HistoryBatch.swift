public import MusterModel

/// What a node adds to its history of people in one transaction. Nothing of it is replicated, and
/// no commit of data waits for it.
///
/// ```
///   history_tail   what was learnt in the current period, batch by batch
///       │ fold, every few minutes
///       ▼
///   history        per period, one row for each subject: its state at the start, and what followed
///   late_history   what belongs to an earlier time than the period in which it was learnt, and
///                  what zones and reports were before each change
///   local          when the node recorded, as a list of runs
/// ```
///
/// The store does not read the bodies: the replica encodes them.
public struct HistoryBatch: Hashable, Sendable {
  /// Ends the current period and empties the tail, before the rest is stored.
  public var fold: HistoryFold?
  /// Encoded entries to append to the tail; empty for none.
  public var tail: [UInt8] = []
  /// Late entries. A stored one of the same subject, time and variant is kept.
  public var late: [LateHistoryRow] = []
  /// When the node recorded, encoded; nil if it is not to be stored now.
  public var runs: [UInt8]?

  /// Creates an empty batch.
  public init() {}

  /// Whether storing it would change nothing.
  public var isEmpty: Bool { fold == nil && tail.isEmpty && late.isEmpty && runs == nil }
}

/// A period that ends, with everything that was learnt in it.
public struct HistoryFold: Hashable, Sendable {
  /// By this machine's wall clock.
  public var started: Timestamp
  /// By this machine's wall clock, which may have been set back meanwhile.
  public var ended: Timestamp
  /// One for each subject.
  public var rows: [HistoryRow]

  /// Creates a period to store.
  public init(started: Timestamp, ended: Timestamp, rows: [HistoryRow]) {
    self.started = started
    self.ended = ended
    self.rows = rows
  }
}

/// What was learnt of one subject in one period.
public struct HistoryRow: Hashable, Sendable {
  /// What the entries are about; the replica numbers the kinds.
  public var kind: UInt8
  /// A device, or a person.
  public var subject: Bytes16
  /// The person that the entries are about.
  public var person: UserID
  /// The device whose records the entries are from; that of the person's id for statuses.
  public var author: Bytes16
  /// Encoded entries.
  public var body: [UInt8]

  /// Creates a row.
  public init(
    kind: UInt8, subject: Bytes16, person: UserID, author: Bytes16, body: [UInt8]
  ) {
    self.kind = kind
    self.subject = subject
    self.person = person
    self.author = author
    self.body = body
  }
}

/// An entry about an earlier time than the period in which it was learnt.
public struct LateHistoryRow: Hashable, Sendable {
  /// The row, with one entry in its body.
  public var row: HistoryRow
  /// Milliseconds of this machine's wall clock at the event, as this node estimates it.
  public var event: Int64
  /// Milliseconds of this machine's wall clock when it was learnt.
  public var learnt: Int64
  /// Distinguishes entries of one subject about one time; 0 where one is enough.
  public var variant: Int64

  /// Creates a row.
  public init(row: HistoryRow, event: Int64, learnt: Int64, variant: Int64) {
    self.row = row
    self.event = event
    self.learnt = learnt
    self.variant = variant
  }
}

/// A period of the history.
public struct HistoryPeriod: Hashable, Sendable {
  /// Ascends in the order in which the periods were recorded.
  public let number: Int64
  /// By this machine's wall clock.
  public let started: Timestamp
  /// By this machine's wall clock.
  public let ended: Timestamp

  /// Creates a period.
  public init(number: Int64, started: Timestamp, ended: Timestamp) {
    self.number = number
    self.started = started
    self.ended = ended
  }
}
