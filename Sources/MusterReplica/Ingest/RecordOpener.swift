internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The content of a position or presence record.
struct OpenedRecord {
  /// The author's device, or the tracker's row as a device.
  let subject: DeviceID
  let source: StampSource
  /// The device that signed the record.
  let author: DeviceID
  /// Nil without a well-formed stamp.
  let stated: RecordStamp?
  /// Nil in a presence record, and in a contact with a tracker that has no position.
  let position: DevicePosition?
}

/// Decrypts records of devices whose authors are known.
struct RecordOpener {
  let operation: OperationID
  let keyring: Keyring
  let control: ControlPlane

  /// Returns the content of a position or presence record; nil for another kind, or without its
  /// key.
  func opened(_ record: LatestRecord) -> OpenedRecord? {
    guard let key = keyring[record.epoch, by: record.certificate],
      let author = control.author(of: record.certificate)
    else { return nil }
    let subject = subject(record.tracker, of: author)
    if let (report, fixOrder, earlier, stamp) = record.position(operation: operation, key: key) {
      // A tracker is identified by its row, which only its author can have named.
      let user = record.tracker == nil ? author.user : UserID(raw: subject.raw)
      return OpenedRecord(
        subject: subject, source: .position, author: author.device, stated: stamp,
        position: DevicePosition(
          device: subject, user: user, order: record.order, fixOrder: fixOrder, report: report,
          earlier: earlier))
    }
    if let stamp = record.trackerContact(operation: operation, key: key) {
      return OpenedRecord(
        subject: subject, source: .position, author: author.device, stated: stamp, position: nil)
    }
    return record.presence(operation: operation, key: key).map {
      OpenedRecord(
        subject: subject, source: .presence, author: author.device, stated: $0.stamp,
        position: nil)
    }
  }

  /// Returns the position that a record contains; nil without one, or without its key.
  func position(in record: LatestRecord) -> DevicePosition? { opened(record)?.position }

  /// Returns what a position or presence record states about a device or tracker; nil if it cannot
  /// be read, or is of another kind.
  func telemetry(of record: LatestRecord) -> (subject: DeviceID, stated: Telemetry)? {
    guard let key = keyring[record.epoch, by: record.certificate],
      let author = control.author(of: record.certificate),
      let stated = record.telemetry(operation: operation, key: key)
    else { return nil }
    return (subject(record.tracker, of: author), stated)
  }

  /// Returns the device, or the id of a tracker's row as a device.
  func subject(_ tracker: Bytes16?, of author: Author) -> DeviceID {
    guard let tracker else { return author.device }
    return DeviceID(tracker: RowID(tracker: tracker, of: author.user, operation: operation))
  }
}

extension RowID {
  /// Derives the row of a tracker from its nonce and the user of the device that records it.
  init(tracker nonce: Bytes16, of owner: UserID, operation: OperationID) {
    self.init(operation: operation, origin: RowOrigin(owner: owner, nonce: nonce))
  }
}
