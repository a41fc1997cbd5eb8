internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The exposure notices that command published, and, at command, the notes that devices sent
/// (decision 0060).
struct ExposureList {
  let context: ReadContext

  /// The row of the notices.
  static func key(_ operation: OperationID) -> RowKey {
    RowKey(kind: .exposure, id: RowID(raw: operation.raw))
  }

  /// The row of a device's note.
  static func key(_ device: DeviceID) -> RowKey {
    RowKey(kind: .exposure, id: RowID(raw: device.raw))
  }

  /// Returns the notices that count: those with the least ids, at most `Limits.exposureNotices`. Of
  /// several elements with one id, that with the greatest dot is shown.
  static func entries(
    of row: RowState?
  ) -> [(notice: ExposureNotice, values: [LiveValue])] {
    var found: [ExposureID: (notice: ExposureNotice, values: [LiveValue])] = [:]
    for value in (row?.values(of: .exposureNotices) ?? []).sorted(by: { $0.dot > $1.dot }) {
      guard let notice = notice(in: value.value) else { continue }
      found[notice.id, default: (notice, [])].values.append(value)
    }
    return found.values.sorted { $0.notice.id < $1.notice.id }
      .prefix(Limits.exposureNotices).map { $0 }
  }

  private static func notice(in value: Value) -> ExposureNotice? {
    guard case .bytes(let bytes) = value else { return nil }
    do throws(DecodingFault) {
      return try ExposureNotice(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// Returns the notices that count, by id.
  func notices() throws(StoreError) -> [PublishedNotice] {
    Self.entries(of: try context.row(Self.key(context.local.operation))).map { entry in
      PublishedNotice(
        entry.notice, publishedAt: entry.values[0].writtenAt)
    }
  }

  /// Returns the notes that are sealed to this device, by device: one of each device that counts.
  /// Throws `Refusal` except at command.
  func notes() throws -> [ReceivedNote] {
    try context.require(.command)
    var notes: [DeviceID: ReceivedNote] = [:]
    for admission in context.control.admissions {
      let certificate = admission.signed.certificate
      let device = certificate.device
      guard notes[device] == nil, !context.control.isRevoked(device),
        let value = try context.row(Self.key(device))?.shown(.exposureNote),
        value.author == certificate.user, case .bytes(let sealed) = value.value
      else { continue }
      let seal = CommandSeal(
        operation: context.local.operation, row: RowID(raw: device.raw))
      guard let note = seal.open(sealed, with: context.local.agreementKey) else { continue }
      notes[device] = ReceivedNote(
        user: certificate.user, callsign: try context.callsign(of: certificate.user),
        device: device, note: note, writtenAt: value.writtenAt)
    }
    return notes.values.sorted { $0.device < $1.device }
  }
}
