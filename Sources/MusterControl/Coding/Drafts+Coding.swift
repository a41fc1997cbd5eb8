internal import MusterModel

extension WireReportDraft {
  init(_ draft: ReportDraft) {
    self.init()
    title = draft.title
    if let text = draft.details { details = text }
    if let code = draft.category?.rawValue { category = UInt32(code) }
    if let number = draft.severity { severity = UInt32(number) }
    if let coordinate = draft.position { position = WirePosition(coordinate) }
    toEvacuate = draft.toEvacuate
  }

  var draft: ReportDraft {
    get throws(ControlFault) {
      var draft = ReportDraft(title: title, toEvacuate: toEvacuate)
      if hasDetails { draft.details = details }
      if hasCategory { draft.category = try Checked.code(category) }
      if hasSeverity { draft.severity = try Checked.integer(severity) }
      if hasPosition { draft.position = try position.coordinate }
      return draft
    }
  }
}

extension WireReportEdit {
  init(_ id: String, _ changes: ReportChanges) {
    self.init()
    report = id
    if let text = changes.title { title = text }
    if let text = changes.details { details = text }
    if let code = changes.category?.rawValue { category = UInt32(code) }
    if let number = changes.severity { severity = UInt32(number) }
    if let coordinate = changes.position { position = WirePosition(coordinate) }
    if let flag = changes.toEvacuate { toEvacuate = flag }
    if let code = changes.status?.rawValue { status = UInt32(code) }
  }

  var changes: ReportChanges {
    get throws(ControlFault) {
      var changes = ReportChanges()
      if hasTitle { changes.title = title }
      if hasDetails { changes.details = details }
      if hasCategory { changes.category = try Checked.code(category) }
      if hasSeverity { changes.severity = try Checked.integer(severity) }
      if hasPosition { changes.position = try position.coordinate }
      if hasToEvacuate { changes.toEvacuate = toEvacuate }
      if hasStatus { changes.status = try Checked.code(status) }
      return changes
    }
  }
}

extension WireFenceDraft {
  init(_ draft: FenceDraft) {
    self.init()
    name = draft.name
    kind = UInt32(draft.kind.rawValue)
    geometry = .init(draft.geometry.encoded)
    if let text = draft.properties { properties = text }
    dwellSeconds = draft.dwellSeconds
    mode = UInt32(draft.mode.rawValue)
    if let role = draft.needs { needs = UInt32(role.rawValue) }
  }

  var draft: FenceDraft {
    get throws(ControlFault) {
      FenceDraft(
        name: name, kind: try Checked.code(kind), geometry: try Checked.geometry(geometry),
        properties: hasProperties ? properties : nil, dwellSeconds: dwellSeconds,
        mode: try Checked.code(mode), needs: hasNeeds ? try Checked.code(needs) : nil)
    }
  }
}

extension WireFenceEdit {
  init(_ id: String, _ changes: FenceChanges) {
    self.init()
    fence = id
    if let text = changes.name { name = text }
    if let code = changes.kind?.rawValue { kind = UInt32(code) }
    if let outline = changes.geometry { geometry = .init(outline.encoded) }
    if let seconds = changes.dwellSeconds { dwellSeconds = seconds }
  }

  var changes: FenceChanges {
    get throws(ControlFault) {
      var changes = FenceChanges()
      if hasName { changes.name = name }
      if hasKind { changes.kind = try Checked.code(kind) }
      if hasGeometry { changes.geometry = try Checked.geometry(geometry) }
      if hasDwellSeconds { changes.dwellSeconds = dwellSeconds }
      return changes
    }
  }
}
