internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Receipts of a command device for the logs that it holds. See `ReceiptDesk` for the schedule.
extension Replica {
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
    var logs: [LogID: Lane] = [:]
    for (lane, head) in engine.heads where lane != .control { logs[head.log] = lane }
    for record in engine.records(by: local.certificate.hash) {
      if let log = record.receipt?.log, logs[log] == nil { logs[log] = .state }
    }
    for (log, lane) in logs.sorted(by: { $0.key < $1.key }) where !isReceipted(log) {
      schedules.receipts.owe(log, lane: lane, now: now.instant)
    }
  }

  /// Processes a receipt of this device from a peer, signed by an earlier incarnation. If it is no
  /// longer correct, it is replaced.
  mutating func takeOwnReceipt(_ record: LatestRecord, now: ClockReading) {
    guard record.certificate == local.certificate.hash, let receipt = record.receipt else { return }
    guard !isReceipted(receipt.log) else { return }
    schedules.receipts.owe(receipt.log, lane: .state, now: now.instant)
  }

  private func topic(of log: LogID) -> RecordTopic {
    RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, receiptFor: log)
  }

  /// Whether the newest receipt equals what is held.
  private func isReceipted(_ log: LogID) -> Bool {
    guard let record = engine.record(topic(of: log)) else { return engine.head(of: log) == nil }
    return record.receipt?.head == engine.head(of: log)
  }

  /// Signs due receipts, commits them, and only then sends them.
  mutating func giveReceipts(now: ClockReading) throws {
    var given: [LatestRecord] = []
    for log in schedules.receipts.take(now: now.instant) where !isReceipted(log) {
      guard
        engine.record(topic(of: log)) != nil
          || engine.hasRoomForReceipt(of: local.certificate.hash)
      else { continue }
      given.append(
        .receipt(
          Receipt(log: log, head: engine.head(of: log)), operation: local.operation,
          certificate: local.certificate.hash,
          order: own.nextRecordOrder(), signedBy: local.signingKey))
    }
    guard !given.isEmpty else { return }
    transaction.batch.records += given
    try commit(now: now)
    try run(.recorded(given), now: now)
  }
}
