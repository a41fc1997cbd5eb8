internal import MusterCRDT
internal import MusterModel
internal import MusterSync

/// A phone or another tracker without a key, which this device records.
struct OwnTracker {
  private let name: String
  /// Names its row, together with this device's user.
  let nonce: Bytes16
  let row: RowID

  /// - Parameter name: trackers of two devices with one name are different.
  init(named name: String, of local: LocalDevice) {
    self.name = name
    nonce = Bytes16(trackerNamed: name, operation: local.operation, device: local.device)
    row = RowID(tracker: nonce, of: local.author.user, operation: local.operation)
  }

  var key: RowKey { RowKey(kind: .tracker, id: row) }
  /// The subject of its positions.
  var subject: DeviceID { DeviceID(tracker: row) }

  /// Returns the writes that create its row; none if it exists. Throws `Refusal` if this device may
  /// not record the tracker.
  ///
  /// - Parameters:
  ///   - row: as it is stored.
  ///   - others: how many other trackers are created at once.
  func creation(
    beside row: RowState?, in context: ReadContext, _ engine: SyncEngine, andOthers others: Int
  ) throws(Refusal) -> [Write] {
    try context.require(.command, .member)
    if let row, row.origin != nil {
      guard row.exists else { throw Refusal("the tracker \(name) was removed") }
      return []
    }
    let local = context.local
    guard engine.hasRoom(forTrackers: others + 1, of: local.certificate.hash) else {
      throw Refusal(
        "this device already records \(Limits.trackersPerDevice) trackers: let it report to "
          + "another laptop")
    }
    var composer = Composer(
      creating: .tracker, origin: RowOrigin(owner: local.author.user, nonce: nonce),
      operation: local.operation)
    composer.assertExistence()
    composer.set(.trackerCallsign, to: .text(name))
    return composer.writes
  }
}
