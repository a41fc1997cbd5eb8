internal import MusterModel

extension WireReport {
  init(_ report: ReportSummary) {
    self.init()
    id = .init(report.id.bytes)
    title = report.title
    details = report.details
    category = UInt32(report.category.rawValue)
    if let number = report.severity { severity = UInt32(number) }
    if let coordinate = report.position { position = WirePosition(coordinate) }
    toEvacuate = report.toEvacuate
    status = UInt32(report.status.rawValue)
    owner = .init(report.owner.bytes)
    ownerCallsign = report.ownerCallsign
    confirmations = report.confirmations
    comments = report.comments.map(WireReportComment.init)
    conflicts = report.conflicts.map(WireConflict.init)
    createdAt = report.createdAt.milliseconds
    updatedAt = report.updatedAt.milliseconds
    devices = Int64(report.delivery.devices)
    commandPost = report.delivery.commandPost
  }

  var summary: ReportSummary {
    get throws(ControlFault) {
      let devices = try Checked.integer(devices, Int.self)
      guard devices >= 1 else { throw .malformed("a report that nobody holds") }
      return ReportSummary(
        id: try Checked.identifier(id), title: title, details: details,
        category: try Checked.code(category),
        severity: hasSeverity ? try Checked.integer(severity) : nil,
        position: hasPosition ? try position.coordinate : nil, toEvacuate: toEvacuate,
        status: try Checked.code(status), owner: try Checked.identifier(owner),
        ownerCallsign: ownerCallsign, confirmations: confirmations,
        comments: comments.map(\.comment),
        conflicts: try conflicts.checked { wire throws(ControlFault) in try wire.conflict },
        delivery: Delivery(devices: devices, commandPost: commandPost),
        createdAt: Timestamp(milliseconds: createdAt),
        updatedAt: Timestamp(milliseconds: updatedAt))
    }
  }
}

extension WireReportComment {
  init(_ comment: ReportComment) {
    self.init()
    callsign = comment.callsign
    text = comment.text
    writtenAt = comment.writtenAt.milliseconds
  }

  var comment: ReportComment {
    ReportComment(
      callsign: callsign, text: text, writtenAt: Timestamp(milliseconds: writtenAt))
  }
}

extension WireConflict {
  init(_ conflict: FieldConflict) {
    self.init()
    field = UInt32(conflict.field.rawValue)
    values = conflict.values.map { value in
      .with {
        $0.text = value.text
        $0.callsign = value.callsign
        $0.writtenAt = value.writtenAt.milliseconds
      }
    }
  }

  var conflict: FieldConflict {
    get throws(ControlFault) {
      FieldConflict(
        field: try Checked.code(field),
        values: values.map {
          ConflictingValue(
            text: $0.text, callsign: $0.callsign,
            writtenAt: Timestamp(milliseconds: $0.writtenAt))
        })
    }
  }
}

extension WireFence {
  init(_ fence: FenceSummary) {
    self.init()
    id = .init(fence.id.bytes)
    name = fence.name
    kind = UInt32(fence.kind.rawValue)
    isActive = fence.isActive
    geometry = .init(fence.geometry.encoded)
    dwellSeconds = fence.dwellSeconds
    mode = UInt32(fence.mode.rawValue)
    if let role = fence.needs { needs = UInt32(role.rawValue) }
    properties = fence.properties
    inside = fence.inside
    conflicts = fence.conflicts.map(WireConflict.init)
    createdAt = fence.createdAt.milliseconds
    updatedAt = fence.updatedAt.milliseconds
  }

  var summary: FenceSummary {
    get throws(ControlFault) {
      FenceSummary(
        id: try Checked.identifier(id), name: name, kind: try Checked.code(kind),
        isActive: isActive, geometry: try Checked.geometry(geometry),
        dwellSeconds: dwellSeconds, mode: try Checked.code(mode),
        needs: hasNeeds ? try Checked.code(needs) : nil, properties: properties,
        inside: inside,
        conflicts: try conflicts.checked { wire throws(ControlFault) in try wire.conflict },
        createdAt: Timestamp(milliseconds: createdAt),
        updatedAt: Timestamp(milliseconds: updatedAt))
    }
  }
}

extension WireEvent {
  init(_ event: CrossingSummary) {
    self.init()
    id = .init(event.id.bytes)
    arrival = event.arrival
    type = UInt32(event.type.rawValue)
    fence = .init(event.fence.bytes)
    fenceName = event.fenceName
    subject = .init(event.subject.bytes)
    callsign = event.callsign
    sampleTime = event.sampleTime.milliseconds
    position = WirePosition(event.position)
    isBaseline = event.isBaseline
  }

  var summary: CrossingSummary {
    get throws(ControlFault) {
      guard hasPosition else { throw .malformed("crossing without a position") }
      return CrossingSummary(
        id: try Checked.identifier(id), arrival: arrival, type: try Checked.code(type),
        fence: try Checked.identifier(fence), fenceName: fenceName,
        subject: try Checked.identifier(subject), callsign: callsign,
        sampleTime: Timestamp(milliseconds: sampleTime), position: try position.coordinate,
        isBaseline: isBaseline)
    }
  }
}
