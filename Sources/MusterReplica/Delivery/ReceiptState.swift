internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The newest receipts of this device, compared with what is held.
struct ReceiptState {
  let local: LocalDevice
  let engine: SyncEngine
  /// The heads that receipts state instead, on a device whose data a database archives; nil on
  /// others.
  let archived: [LogID: Head]?

  private func topic(of log: LogID) -> RecordTopic {
    RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, receiptFor: log)
  }

  /// Whether the newest receipt equals what is held. What is not archived yet needs none.
  func isReceipted(_ log: LogID) -> Bool {
    if let archived, archived[log] == nil { return true }
    guard let record = engine.record(topic(of: log)) else { return head(of: log) == nil }
    return record.receipt?.head == head(of: log)
  }

  private func head(of log: LogID) -> Head? {
    archived.map { $0[log] } ?? engine.head(of: log)
  }

  /// The logs whose newest receipt differs from what is held, by id. A log that is no longer held
  /// counts as one of the `state` lane.
  var outdated: [(log: LogID, lane: Lane)] {
    var logs: [LogID: Lane] = [:]
    for (lane, head) in engine.heads where lane != .control { logs[head.log] = lane }
    for record in engine.records(by: local.certificate.hash) {
      if let log = record.receipt?.log, logs[log] == nil { logs[log] = .state }
    }
    return logs.sorted { $0.key < $1.key }.filter { !isReceipted($0.key) }
      .map { (log: $0.key, lane: $0.value) }
  }

  /// Signs a receipt for what is held of a log.
  func receipt(for log: LogID, order: RecordOrder) -> LatestRecord {
    .receipt(
      Receipt(log: log, head: head(of: log)), operation: local.operation,
      certificate: local.certificate.hash, order: order, signedBy: local.signingKey)
  }

  /// Whether a receipt for the log replaces one, or fits beside the others.
  func hasRoom(for log: LogID) -> Bool {
    engine.record(topic(of: log)) != nil || engine.hasRoomForReceipt(of: local.certificate.hash)
  }
}
