internal import MusterModel

/// When this device signs its own records: receipts, its neighbours, and its presence.
struct RecordSchedules: Sendable {
  var receipts = ReceiptTracker()
  var neighbours = NeighbourPublisher()
  var presence = PresenceSchedule()
  var blobReceipts = ReceiptTracker()

  /// When the next record may be due, if any.
  var deadlines: [Instant?] {
    [
      receipts.nextDeadline, neighbours.nextDeadline, presence.due, blobReceipts.nextDeadline,
    ]
  }
}
