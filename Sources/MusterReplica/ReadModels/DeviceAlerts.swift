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
      finding(
        .clone, clone.device, .danger,
        "\(clone.callsign)'s device (\(clone.device.short)) is in use in two places at once")
    }
    found += aboutInsiders
    if isCommand { found += (home.stoppedWebhooks ?? []).map(aboutWebhook) }
    if isRevoked {
      found.append(
        finding(.revoked, device, .danger, "this device was revoked: it can no longer write"))
    }
    if let clockLead, clockLead.isSuspect {
      found.append(
        finding(
          .clock, device, .warning,
          "this device's clock is \(clockLead.words) of the others: correct it"))
    }
    if let problem = home.stateFolderProblem {
      found.append(finding(.stateFolder, device, .warning, problem))
    }
    if let problem = home.positionProblem {
      found.append(finding(.positionSource, device, .warning, problem))
    }
    if home.isPhoneTableFull {
      found.append(
        finding(
          .bound, device, .warning,
          "this laptop records no further phone by the shared token: remove phones that are not "
            + "used, or add a login for each person"))
    }
    if let freeBytes = home.freeBytes, freeBytes < Limits.leastFreeBytes {
      found.append(
        finding(
          .disk, device, .warning,
          "this device's disk is almost full: free at least "
            + "\(Limits.leastFreeBytes >> 20) MiB, or it may fail to store data"))
    }
    return found
  }

  private func aboutWebhook(_ webhook: StoppedWebhook) -> AlertTracker.Finding {
    let trouble = webhook.trouble.map { ": \($0)" } ?? ""
    return AlertTracker.Finding(
      id: AlertID(kind: .webhook, row: webhook.row), level: .warning,
      text: "webhook \(webhook.name) delivers nothing\(trouble)")
  }

  private func finding(
    _ kind: AlertKind, _ device: DeviceID, _ level: AlertLevel, _ text: String
  ) -> AlertTracker.Finding {
    AlertTracker.Finding(
      id: AlertID(kind: kind, row: RowID(raw: device.raw)), level: level, text: text)
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
      return finding(
        .bound, device, .warning,
        "\(bounds[0].callsign)'s device (\(device.short)) sends too many \(tables): "
          + "the rest is rejected; \(advice)")
    }
    guard isCommand else { return full }
    let disputes = disputed.map { device in
      finding(
        .disputed, device.id, .warning,
        "\(device.callsign)'s device (\(device.id.short)) is disputed: \(device.votes) of "
          + "\(device.quorum) votes to revoke it; see muster council status")
    }
    let faults = clockFaults.map { device, callsign in
      finding(
        .clockFault, device, .warning,
        "the clock of \(callsign)'s device (\(device.short)) has jumped, or another device "
          + "uses its key: the age of its data is uncertain")
    }
    return full + disputes + faults
      + readmissions.map { device, callsign in
        finding(
          .readmission, device, .warning,
          "\(callsign)'s revoked device (\(device.short)) asked to be admitted again: "
            + "it was rejected")
      }
  }
}
