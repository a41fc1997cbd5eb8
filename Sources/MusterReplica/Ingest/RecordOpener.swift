internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Decrypts records of devices whose authors are known.
struct RecordOpener {
  let operation: OperationID
  let keyring: Keyring
  let control: ControlPlane

  /// Returns the position that a record contains; nil without one, or without its key.
  func position(in record: LatestRecord) -> DevicePosition? {
    guard let key = keyring[record.epoch],
      let author = control.author(of: record.certificate),
      let (report, earlier, _) = record.position(operation: operation, key: key)
    else { return nil }
    guard let nonce = record.tracker else {
      return DevicePosition(
        device: author.device, user: author.user, order: record.order, report: report,
        earlier: earlier)
    }
    // A tracker is identified by its row, which only its author can have named.
    let row = RowID(
      operation: operation, origin: RowOrigin(owner: author.user, nonce: nonce))
    return DevicePosition(
      device: DeviceID(tracker: row), user: UserID(raw: row.raw), order: record.order,
      report: report, earlier: earlier)
  }

  /// The stamp of a position or presence record; nil if it cannot be read, or is of another kind.
  func stamp(
    of record: LatestRecord
  ) -> (
    name: StampedRecordID, subject: DeviceID, source: StampSource, author: DeviceID,
    stated: RecordStamp?
  )? {
    guard let key = keyring[record.epoch],
      let author = control.author(of: record.certificate)
    else { return nil }
    let (source, stated): (StampSource, RecordStamp?)
    if let position = record.position(operation: operation, key: key) {
      (source, stated) = (.position, position.stamp)
    } else if let presence = record.presence(operation: operation, key: key) {
      (source, stated) = (.presence, presence.stamp)
    } else {
      return nil
    }
    return (
      StampedRecordID(record, operation: operation), subject(record.tracker, of: author),
      source, author.device, stated
    )
  }

  /// Returns the device, or the id of a tracker's row as a device.
  func subject(_ tracker: Bytes16?, of author: Author) -> DeviceID {
    guard let tracker else { return author.device }
    let origin = RowOrigin(owner: author.user, nonce: tracker)
    return DeviceID(tracker: RowID(operation: operation, origin: origin))
  }
}
