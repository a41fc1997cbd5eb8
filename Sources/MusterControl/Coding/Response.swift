internal import MusterModel
internal import MusterNode

/// What a node sends: one answer, or to a follower a batch of events after another.
struct Response: Hashable, Sendable {
  var reply: Reply
}

extension Response {
  func encoded() -> [UInt8] {
    var wire = WireResponse()
    wire.kind = reply.wire
    return wire.bytes
  }

  init(decoding bytes: [UInt8]) throws(ControlFault) {
    guard let kind = try WireResponse(parsing: bytes).kind else {
      throw .malformed("an answer of another version")
    }
    reply = try Reply(kind)
  }
}

extension Reply {
  fileprivate var wire: WireResponse.OneOf_Kind {
    switch self {
    case .done: .done(WireNothing())
    case .refused(let reason, _): .refused(reason)
    case .status(let status): .status(WireStatus(status))
    case .verification(let report): .verification(WireVerification(report))
    case .users(let users): .users(.with { $0.users = users.map(WireUser.init) })
    case .devices(let devices): .devices(.with { $0.devices = devices.map(WireDevice.init) })
    case .mesh(let mesh): .mesh(WireMesh(mesh))
    case .reports(let reports): .reports(.with { $0.reports = reports.map(WireReport.init) })
    case .fences(let fences): .fences(.with { $0.fences = fences.map(WireFence.init) })
    case .created(let id): .created(.init(id.bytes))
    case .events(let events): .events(.with { $0.events = events.map(WireEvent.init) })
    case .directives, .alerts, .changes, .settings: directingWire
    case .invitation(let invitation, let role, let expiresAt):
      .invitation(
        .with {
          $0.invitation = .init(invitation)
          $0.role = UInt32(role.rawValue)
          $0.expiresAt = expiresAt.milliseconds
        })
    case .grant(let grant, let callsign):
      .grant(
        .with {
          $0.grant = .init(grant)
          $0.callsign = callsign
        })
    case .quarantine(let frames):
      .quarantine(.with { $0.frames = frames.map(WireQuarantinedFrame.init) })
    case .released(let count): .released(Int64(count))
    case .track(let fixes): .track(.with { $0.fixes = fixes.map { WireFix($0) } })
    case .bundlePiece(let piece): .bundlePiece(WireBundlePiece(piece))
    case .bundleProgress(let progress): .bundleProgress(WireBundleProgress(progress))
    }
  }

  fileprivate init(_ kind: WireResponse.OneOf_Kind) throws(ControlFault) {
    switch kind {
    case .done: self = .done
    case .refused(let reason): self = .refused(reason)
    case .status(let wire): self = .status(try wire.summary)
    case .verification(let wire): self = .verification(try wire.report)
    case .users(let wire):
      self = .users(try wire.users.checked { user throws(ControlFault) in try user.summary })
    case .devices(let wire):
      self = .devices(
        try wire.devices.checked { device throws(ControlFault) in try device.summary })
    case .mesh(let wire): self = .mesh(try wire.summary)
    case .reports(let wire):
      self = .reports(
        try wire.reports.checked { report throws(ControlFault) in try report.summary })
    case .fences(let wire):
      self = .fences(try wire.fences.checked { fence throws(ControlFault) in try fence.summary })
    case .created(let id): self = .created(try Checked.identifier(id))
    case .events(let wire):
      self = .events(try wire.events.checked { event throws(ControlFault) in try event.summary })
    case .invitation(let wire):
      self = .invitation(
        Array(wire.invitation), role: try Checked.code(wire.role),
        expiresAt: Timestamp(milliseconds: wire.expiresAt))
    case .grant(let wire): self = .grant(Array(wire.grant), callsign: wire.callsign)
    case .quarantine(let wire):
      self = .quarantine(
        try wire.frames.checked { frame throws(ControlFault) in try frame.summary })
    case .released(let count): self = .released(try Checked.integer(count))
    case .track(let wire):
      self = .track(try wire.fixes.checked { fix throws(ControlFault) in try fix.fix })
    case .bundlePiece(let wire): self = .bundlePiece(try wire.piece)
    case .bundleProgress(let wire): self = .bundleProgress(try wire.progress)
    default: self = try Self.directing(kind)
    }
  }
}
