internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The receipts of command devices for blobs.
struct BlobReceipts {
  let store: Store
  let engine: SyncEngine
  let local: LocalDevice
  let control: ControlPlane

  private func topic(of log: LogID, by certificate: CertificateHash) -> RecordTopic {
    RecordTopic(operation: local.operation, certificate: certificate, blobReceiptFor: log)
  }

  /// Returns the command devices, other than this one, whose receipts cover a blob.
  func keepers(of blob: StoredBlob) -> [DeviceID] {
    control.commanders.compactMap { commander in
      let device = commander.certificate.device
      let record = engine.record(topic(of: blob.log, by: commander.hash))
      guard device != local.device, !control.isRevoked(device),
        record?.blobReceipt?.covers(blob.id, listedAt: blob.sequence) == true
      else { return nil }
      return device
    }
  }

  /// Returns this device's receipt for the blobs of a log; nil if its newest one is still correct,
  /// or there is no room for one.
  func outdated(_ log: LogID) throws(StoreError) -> BlobReceipt? {
    let known = engine.record(topic(of: log, by: local.certificate.hash))
    guard let receipt = try receipt(for: log), receipt != known?.blobReceipt,
      known != nil || engine.hasRoomForReceipt(of: local.certificate.hash)
    else { return nil }
    return receipt
  }

  func signed(_ receipt: BlobReceipt, order: RecordOrder) -> LatestRecord {
    .blobReceipt(
      receipt, operation: local.operation, certificate: local.certificate.hash, order: order,
      signedBy: local.signingKey)
  }

  /// Frames before the end of a receipt whose blobs count as newly covered by it.
  private static let newestFrames: UInt64 = 64

  /// Returns the blobs near the end of a receipt that it covers: it may be the first to cover them.
  func newest(in receipt: BlobReceipt) throws(StoreError) -> [BlobID] {
    let first = max(receipt.sequence, Self.newestFrames) - Self.newestFrames
    return try store.blobLists(of: receipt.log, from: first).flatMap { sequence, list in
      list.map(\.id).filter { receipt.covers($0, listedAt: sequence) }
    }
  }

  /// Returns what is stored here of the blobs of a log; nil if it lists none.
  private func receipt(for log: LogID) throws(StoreError) -> BlobReceipt? {
    var receipt: BlobReceipt?
    for (sequence, list) in try store.blobLists(of: log, from: 0) {
      var missing = receipt?.missing ?? []
      for entry in list where !engine.isComplete(entry.id) {
        missing.append(entry.id)
      }
      guard missing.count <= Limits.blobExceptions else { break }
      receipt = BlobReceipt(log: log, sequence: sequence, missing: Set(missing).sorted())
    }
    return receipt
  }
}
