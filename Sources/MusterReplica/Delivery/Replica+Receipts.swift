internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Receipts of a command device for the logs that it holds. See `ReceiptTracker` for the schedule.
extension Replica {
  private var receiptState: ReceiptState { ReceiptState(local: local, engine: engine) }

  private var givesReceipts: Bool { local.author.role == .command }

  /// Schedules a receipt for a log that has grown. Control logs have no receipts.
  mutating func oweReceipt(for log: LogID, lane: Lane, now: ClockReading) {
    guard givesReceipts, lane != .control else { return }
    schedules.receipts.owe(log, lane: lane, now: now.instant)
  }

  /// Schedules receipts after a start, if the last ones differ from the store, as after a restored
  /// backup or an upgrade.
  mutating func reviewReceipts(now: ClockReading) {
    guard givesReceipts else { return }
    for (log, lane) in receiptState.outdated {
      schedules.receipts.owe(log, lane: lane, now: now.instant)
    }
  }

  /// Processes a receipt of this device from a peer, signed by an earlier incarnation. If it is no
  /// longer correct, it is replaced.
  mutating func takeOwnReceipt(_ record: LatestRecord, now: ClockReading) {
    guard record.certificate == local.certificate.hash, let receipt = record.receipt else { return }
    guard !receiptState.isReceipted(receipt.log) else { return }
    schedules.receipts.owe(receipt.log, lane: .state, now: now.instant)
  }

  /// Signs due receipts, commits them, and only then sends them.
  mutating func giveReceipts(now: ClockReading) throws {
    var given: [LatestRecord] = []
    for log in schedules.receipts.take(now: now.instant) where !receiptState.isReceipted(log) {
      guard receiptState.hasRoom(for: log) else { continue }
      given.append(receiptState.receipt(for: log, order: own.nextRecordOrder()))
    }
    try publish(given, now: now)
  }
}
