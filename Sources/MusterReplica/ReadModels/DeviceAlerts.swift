internal import MusterModel

/// Alerts about devices: this one, and those that need command's attention.
struct DeviceAlerts {
  let device: DeviceID
  let isCommand: Bool
  /// Whether this device was revoked.
  let isRevoked: Bool
  /// How far this device's clock is ahead, if known.
  let clockLead: ClockLead?
  let home: HomeCondition
  let clones: [CloneSummary]
  /// Devices that fill a table here.
  let bounds: [BoundSummary]
  /// Revoked devices that have asked to be admitted again.
  let readmissions: [(device: DeviceID, callsign: String)]
  /// Members of a council with votes to revoke them, too few so far.
  let disputed: [DeviceSummary]
  /// Devices whose boot clocks jumped.
  let clockFaults: [(device: DeviceID, callsign: String)]

  var findings: [AlertTracker.Finding] {
    var found = clones.map { clone in
      AlertTracker.Finding(
        id: AlertID(kind: .clone, row: RowID(raw: clone.device.raw)), level: .danger,
        text: "\(clone.callsign)'s device (\(clone.device.short)) is in use in two places at once")
    }
    found += aboutInsiders
    let row = RowID(raw: device.raw)
    if isRevoked {
      found.append(
        AlertTracker.Finding(
          id: AlertID(kind: .revoked, row: row), level: .danger,
          text: "this device was revoked: it can no longer write"))
    }
    if let clockLead, clockLead.isSuspect {
      found.append(
        AlertTracker.Finding(
          id: AlertID(kind: .clock, row: row), level: .warning,
          text: "this device's clock is \(clockLead.words) of the others: correct it"))
    }
    if let problem = home.stateFolderProblem {
      found.append(
        AlertTracker.Finding(
          id: AlertID(kind: .stateFolder, row: row), level: .warning, text: problem))
    }
    if let freeBytes = home.freeBytes, freeBytes < Limits.leastFreeBytes {
      found.append(
        AlertTracker.Finding(
          id: AlertID(kind: .disk, row: row), level: .warning,
          text: "this device's disk is almost full: free at least "
            + "\(Limits.leastFreeBytes >> 20) MiB, or it may fail to store data"))
    }
    return found
  }

  /// One alert for each device, however many tables it fills.
  private var aboutInsiders: [AlertTracker.Finding] {
    let filled = Dictionary(grouping: bounds, by: \.device).sorted { $0.key < $1.key }
    let full = filled.map { device, bounds in
      let tables = bounds.map(\.bound.label).joined(separator: ", ")
      let advice =
        device == self.device
        ? "copy what matters, and join again as a new device"
        : "find out why, or revoke it: muster revoke \(device.short)"
      return AlertTracker.Finding(
        id: AlertID(kind: .bound, row: RowID(raw: device.raw)), level: .warning,
        text: "\(bounds[0].callsign)'s device (\(device.short)) sends too many \(tables): "
          + "the rest is rejected; \(advice)")
    }
    guard isCommand else { return full }
    let disputes = disputed.map { device in
      AlertTracker.Finding(
        id: AlertID(kind: .disputed, row: RowID(raw: device.id.raw)), level: .warning,
        text: "\(device.callsign)'s device (\(device.id.short)) is disputed: \(device.votes) of "
          + "\(device.quorum) votes to revoke it; see muster council status")
    }
    let faults = clockFaults.map { device, callsign in
      AlertTracker.Finding(
        id: AlertID(kind: .clockFault, row: RowID(raw: device.raw)), level: .warning,
        text: "the clock of \(callsign)'s device (\(device.short)) has jumped, or another device "
          + "uses its key: the age of its data is uncertain")
    }
    return full + disputes + faults
      + readmissions.map { device, callsign in
        AlertTracker.Finding(
          id: AlertID(kind: .readmission, row: RowID(raw: device.raw)), level: .warning,
          text: "\(callsign)'s revoked device (\(device.short)) asked to be admitted again: "
            + "it was rejected")
      }
  }
}
