internal import MusterCRDT
internal import MusterModel

/// The fields of reports, fences and permits.
extension Composer {
  // MARK: Reports

  mutating func create(_ draft: ReportDraft) {
    assertExistence()
    set(.reportTitle, to: .text(draft.title))
    set(.reportDescription, to: draft.details.map(Value.text))
    set(.reportCategory, to: .code((draft.category ?? .other).rawValue))
    set(.reportSeverity, to: draft.severity.map(Value.code))
    set(.reportPosition, to: draft.position.map(Value.position))
    set(.reportStatus, to: .code(ReportStatus.open.rawValue))
    setFlag(.reportToEvacuate, to: draft.toEvacuate)
  }

  mutating func apply(_ changes: ReportChanges) {
    set(.reportTitle, to: changes.title.map(Value.text))
    set(.reportDescription, to: changes.details.map(Value.text))
    set(.reportCategory, to: changes.category.map { .code($0.rawValue) })
    set(.reportSeverity, to: changes.severity.map(Value.code))
    set(.reportPosition, to: changes.position.map(Value.position))
    set(.reportStatus, to: changes.status.map { .code($0.rawValue) })
    setFlag(.reportToEvacuate, to: changes.toEvacuate)
  }

  // MARK: Fences

  mutating func create(_ draft: FenceDraft, now: Timestamp) {
    assertExistence()
    set(.fenceName, to: .text(draft.name))
    set(.fenceKind, to: .code(draft.kind.rawValue))
    set(.fenceGeometry, to: .geometry(draft.geometry))
    set(.fenceActive, to: .code(1))
    if draft.dwellSeconds > 0 {
      set(.fenceDwellSeconds, to: .number(draft.dwellSeconds))
    }
    set(.fenceRole, to: draft.needs.map { .code($0.rawValue) })
    if draft.mode != .careful { set(.fenceMode, to: .code(draft.mode.rawValue)) }
    set(.fenceCollection, to: draft.collection.map(Value.text))
    set(.fenceProperties, to: draft.properties.map(Value.text))
    set(
      .fenceReviewAt, to: draft.reviewSeconds.map { .time(now.adding(seconds: $0)) })
    if !draft.alertsEntry { set(.fenceEntryAlert, to: .code(0)) }
  }

  mutating func apply(
    _ changes: FenceChanges, to state: RowState, now: Timestamp
  ) throws(Refusal) {
    set(.fenceName, to: changes.name.map(Value.text))
    set(.fenceKind, to: changes.kind.map { .code($0.rawValue) })
    set(.fenceGeometry, to: changes.geometry.map(Value.geometry))
    set(.fenceProperties, to: changes.properties.map(Value.text))
    // A fence without one has none to clear.
    if let seconds = changes.dwellSeconds, seconds > 0 || state.isSet(.fenceDwellSeconds) {
      set(.fenceDwellSeconds, to: .number(seconds))
    }
    switch changes.reviewSeconds {
    case nil: break
    case 0: takeAway(.fenceReviewAt)
    case let seconds? where seconds > Limits.spanSeconds: throw Refusal.reviewOutOfRange
    case let seconds?: set(.fenceReviewAt, to: .time(now.adding(seconds: seconds)))
    }
    if let alerts = changes.alertsEntry, !alerts || state.isSet(.fenceEntryAlert) {
      set(.fenceEntryAlert, to: .code(alerts ? 1 : 0))
    }
  }

  // MARK: Permits

  mutating func create(_ draft: PermitDraft, for people: Set<UserID>) {
    assertExistence()
    for person in people.sorted() {
      insert(.permitUsers, .reference(RowID(raw: person.raw)))
    }
    if !draft.team.isEmpty { set(.permitTeam, to: .text(draft.team)) }
    set(.permitZone, to: .reference(draft.zone))
    set(.permitDurationSeconds, to: .number(draft.durationSeconds))
  }
}

extension Write {
  /// Rejects a write that every replica would reject.
  func requireAcceptable() throws(Refusal) {
    guard let value, !field.accepts(value) else { return }
    let fault: String? =
      switch value {
      case .text(let text): field.textRule?.fault(in: text)
      case .claim(_, let note), .reply(_, let note), .trackerReply(_, let note),
        .overruling(_, let note, _), .relayedClaim(_, let note, _, _), .signOff(let note, _),
        .signOn(let note):
        TextRule.note.fault(in: note)
      case .accounting(let accounting): TextRule.note.fault(in: accounting.note)
      case .alertReply(let reply): TextRule.note.fault(in: reply.note)
      case .checkIn(let report): TextRule.note.fault(in: report.note)
      default: nil
      }
    throw Refusal("the \(field.name) \(fault ?? "is out of range")")
  }
}

extension RowState {
  /// The lane of later writes to the row.
  var lane: Lane {
    switch key.kind {
    case .user, .settings, .tracker, .record, .exposure: .state
    case .directive, .permit, .alertAcknowledgement, .checkIn, .unverifiedCall: .urgent
    case .track: .history
    case .report: isSet(.reportToEvacuate) ? .urgent : .state
    case .fence: fenceKind == .hazard ? .urgent : .state
    }
  }
}
