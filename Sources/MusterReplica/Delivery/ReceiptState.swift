internal import MusterModel
internal import MusterSync

/// The newest receipts of this device, compared with what is held.
struct ReceiptState {
  let local: LocalDevice
  let engine: SyncEngine

  private func topic(of log: LogID) -> RecordTopic {
    RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, receiptFor: log)
  }

  /// Whether the newest receipt equals what is held.
  func isReceipted(_ log: LogID) -> Bool {
    guard let record = engine.record(topic(of: log)) else { return engine.head(of: log) == nil }
    return record.receipt?.head == engine.head(of: log)
  }

  /// Whether a receipt for the log replaces one, or fits beside the others.
  func hasRoom(for log: LogID) -> Bool {
    engine.record(topic(of: log)) != nil || engine.hasRoomForReceipt(of: local.certificate.hash)
  }
}
