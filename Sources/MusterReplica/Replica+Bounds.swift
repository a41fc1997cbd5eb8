internal import MusterCrypto
public import MusterModel
internal import MusterSync

/// The devices that have reached a limit, and the epoch that is used for writing.
extension Replica {
  /// The devices that are not revoked and fill a table here, by device, then by table.
  public var boundsReached: [BoundSummary] {
    get throws {
      var reached: [DeviceID: [BoundedTable: UInt64]] = [:]
      for entry in engine.boundsReached {
        reached[entry.device, default: [:]][entry.table, default: 0] += entry.refusals
      }
      for issuer in control.fullIssuers {
        guard let device = control.author(of: issuer)?.device, !control.isRevoked(device) else {
          continue
        }
        reached[device, default: [:]][.certificates, default: 0] += 1
      }
      return try reached.sorted { $0.key < $1.key }.flatMap { device, tables in
        let callsign = try callsign(of: device)
        return tables.sorted { $0.key < $1.key }.map {
          BoundSummary(device: device, callsign: callsign, bound: $0.key, refusals: $0.value)
        }
      }
    }
  }

  /// Revoked devices that have requested readmission since the start.
  var refusedReadmissions: [(device: DeviceID, callsign: String)] {
    get throws {
      try readmissions.devices.filter { control.isRevoked($0) }
        .map { ($0, try callsign(of: $0)) }
    }
  }

  /// Returns the user's callsign; the first digits of the device's id without a valid certificate.
  func callsign(of device: DeviceID) throws -> String {
    let user = control.admissions.first { $0.signed.certificate.device == device }?
      .signed.certificate.user
    return try user.map { try callsign(of: $0) } ?? device.short
  }

  /// The epoch that this device uses for writing; nil without a key.
  public var writingEpoch: EpochSummary? {
    get throws {
      guard let id = currentEpoch?.id else { return nil }
      guard let epoch = control.epochs.best(id) else {
        return EpochSummary(id: id, generation: 0, callsign: "", isOwn: false)
      }
      let author = control.author(of: epoch.certificate)
      return EpochSummary(
        id: id, generation: epoch.announcement.generation,
        callsign: try author.map { try callsign(of: $0.user) } ?? "root",
        isOwn: author?.device == local.device)
    }
  }
}
