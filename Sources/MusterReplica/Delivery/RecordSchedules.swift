internal import MusterModel

/// When this device signs receipts, and a record of its neighbours.
struct RecordSchedules: Sendable {
  var receipts = ReceiptTracker()
  var neighbours = NeighbourPublisher()
  var blobReceipts = ReceiptTracker()

  /// When the next record may be due, if any.
  var deadlines: [Instant?] {
    [receipts.nextDeadline, neighbours.nextDeadline, blobReceipts.nextDeadline]
  }
}
