internal import MusterModel

/// When this device signs receipts, and a record of its neighbours. Only command
/// devices and archives give receipts.
struct RecordSchedules: Sendable {
  private(set) var receipts = ReceiptTracker()
  private(set) var blobReceipts = ReceiptTracker()
  var neighbours = NeighbourPublisher()
  /// What a database has archived of this device's data, if its receipts state that.
  private(set) var archived: [LogID: Head]?
  private let givesReceipts: Bool

  init(of role: Role) { givesReceipts = role.givesReceipts }

  /// When the next record may be due, if any.
  var deadlines: [Instant?] {
    [receipts.nextDeadline, neighbours.nextDeadline, blobReceipts.nextDeadline]
  }

  /// Schedules a receipt for a log that has grown. Control logs have no receipts.
  mutating func oweReceipt(for log: LogID, lane: Lane, now: Instant) {
    guard givesReceipts, lane != .control else { return }
    receipts.owe(log, lane: lane, now: now)
  }

  /// Records what a database has archived, and schedules receipts for it: from now on they state
  /// nothing else.
  mutating func confirmArchived(_ states: [LogState], now: Instant) {
    archived = archived ?? [:]
    for state in states {
      let head = Head(log: state.strand, sequence: state.last, hash: state.hash)
      guard archived?.updateValue(head, forKey: state.strand) != head else { continue }
      oweReceipt(for: state.strand, lane: state.lane, now: now)
    }
  }

  /// Schedules receipts for blobs that these logs list. Those that are still correct are not sent
  /// again.
  mutating func oweBlobReceipts(for logs: Set<LogID>, now: Instant) {
    guard givesReceipts else { return }
    for log in logs.sorted() { blobReceipts.owe(log, lane: .state, now: now) }
  }

  /// Schedules receipts after a start, if the last ones differ from the store, as after a restored
  /// backup or an upgrade.
  mutating func review(_ state: ReceiptState, now: Instant) {
    guard givesReceipts else { return }
    for (log, lane) in state.outdated { receipts.owe(log, lane: lane, now: now) }
  }

  /// Schedules a receipt in place of one of this device that is no longer correct.
  mutating func replaceReceipt(for log: LogID, now: Instant) {
    receipts.owe(log, lane: .state, now: now)
  }

  /// Returns the logs to receipt now.
  mutating func takeReceipts(now: Instant) -> [LogID] { receipts.take(now: now) }

  /// Returns the logs to receipt now whose blobs are complete.
  mutating func takeBlobReceipts(now: Instant) -> [LogID] { blobReceipts.take(now: now) }
}
