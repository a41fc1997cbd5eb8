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
  let lists: BlobLists

  /// A log that lists a blob, and the sequence of the frame.
  typealias Place = (log: LogID, sequence: UInt64)

  private func topic(of log: LogID, by certificate: CertificateHash) -> RecordTopic {
    RecordTopic(operation: local.operation, certificate: certificate, blobReceiptFor: log)
  }

  /// Returns the command devices, other than this one, with a receipt that covers any list of a
  /// blob: each receipt is about the blob, whichever frame lists it.
  func keepers(of blob: BlobID) -> [DeviceID] {
    keepers(of: blob, listedIn: lists.places(of: blob))
  }

  /// Returns the same for deleting a copy here. Of what this device listed itself, only receipts
  /// for its own logs count: another author's log may have a branch that no command device holds,
  /// and its receipt may be about that.
  ///
  /// - Parameter others: lists in frames that do not count.
  func keepers(allowingDeletionOf blob: BlobID, others: [Place]) -> [DeviceID] {
    let own = lists[blob].contains { $0.certificate == local.certificate.hash }
    let places = own ? lists.places(of: blob, by: local.certificate.hash) : lists.places(of: blob)
    return keepers(of: blob, listedIn: places + others)
  }

  private func keepers(of blob: BlobID, listedIn places: [Place]) -> [DeviceID] {
    guard !places.isEmpty else { return [] }
    return control.commanders.compactMap { commander in
      let device = commander.certificate.device
      guard device != local.device, !control.isRevoked(device) else { return nil }
      let covers = places.contains { log, sequence in
        engine.record(topic(of: log, by: commander.hash))?.blobReceipt?
          .covers(blob, listedAt: sequence) == true
      }
      return covers ? device : nil
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
