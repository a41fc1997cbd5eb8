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
    var found = clones.map {
      finding(.clone, $0.device, .danger, .cloned, of: $0.callsign)
    }
    found += aboutInsiders
    if isCommand { found += (home.stoppedWebhooks ?? []).map(aboutWebhook) }
    if isRevoked { found.append(finding(.revoked, .danger, Phrase(.revokedHere))) }
    if let clockLead, clockLead.isSuspect {
      found.append(finding(.clock, .warning, clockLead.phrase))
    }
    if let problem = home.stateFolderProblem {
      found.append(finding(.stateFolder, .warning, Phrase(verbatim: problem)))
    }
    if let problem = home.positionProblem {
      found.append(finding(.positionSource, .warning, problem))
    }
    if home.isPhoneTableFull { found.append(finding(.bound, .warning, Phrase(.phonesFull))) }
    if let freeBytes = home.freeBytes, freeBytes < Limits.leastFreeBytes {
      let size = Phrase.Value.text("\(Limits.leastFreeBytes >> 20) MiB")
      found.append(finding(.disk, .warning, Phrase(.diskFull, ["size": size])))
    }
    return found
  }

  private func aboutWebhook(_ webhook: StoppedWebhook) -> AlertTracker.Finding {
    AlertTracker.Finding(
      id: AlertID(kind: .webhook, row: webhook.row), level: .warning,
      phrase: Phrase(
        .webhookStopped,
        ["name": .text(webhook.name), "trouble": .text(webhook.trouble ?? "")]))
  }

  /// A finding about this device.
  private func finding(
    _ kind: AlertKind, _ level: AlertLevel, _ phrase: Phrase
  ) -> AlertTracker.Finding {
    AlertTracker.Finding(
      id: AlertID(kind: kind, row: RowID(raw: device.raw)), level: level, phrase: phrase)
  }

  /// A finding about a person's device.
  private func finding(
    _ kind: AlertKind, _ device: DeviceID, _ level: AlertLevel, _ key: PhraseKey,
    of callsign: String, _ values: [String: Phrase.Value] = [:]
  ) -> AlertTracker.Finding {
    let names: [String: Phrase.Value] = ["name": .text(callsign), "device": .text(device.short)]
    return AlertTracker.Finding(
      id: AlertID(kind: kind, row: RowID(raw: device.raw)), level: level,
      phrase: Phrase(key, names.merging(values) { $1 }))
  }

  /// One alert for each device, however many tables it fills.
  private var aboutInsiders: [AlertTracker.Finding] {
    let filled = Dictionary(grouping: bounds, by: \.device).sorted { $0.key < $1.key }
    let full = filled.map { device, bounds in
      finding(
        .bound, device, .warning, device == self.device ? .ownTooMany : .sendsTooMany,
        of: bounds[0].callsign,
        ["tables": .list(bounds.map { .phrase(Phrase("bound", $0.bound)) })])
    }
    guard isCommand else { return full }
    let disputes = disputed.map { device in
      finding(
        .disputed, device.id, .warning, .disputed, of: device.callsign,
        ["votes": .count(device.votes), "quorum": .count(device.quorum)])
    }
    let faults = clockFaults.map {
      finding(.clockFault, $0.device, .warning, .clockJumped, of: $0.callsign)
    }
    return full + disputes + faults
      + readmissions.map {
        finding(.readmission, $0.device, .warning, .askedAgain, of: $0.callsign)
      }
  }
}
