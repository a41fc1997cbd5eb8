internal import MusterModel
internal import MusterNode

/// What a client sends.
enum Request: Hashable, Sendable {
  case command(Command)
  /// Asks for a stream of crossings, which ends when the client closes the connection or sends
  /// anything more.
  case follow(after: Int64?)
  /// The same of the alerts that stand.
  case followAlerts
  /// The same of the counts of changes.
  case followChanges
}

extension Request {
  func encoded() -> [UInt8] {
    var wire = WireRequest()
    switch self {
    case .command(let command): wire.kind = command.wire
    case .follow(let after):
      var follow = WireFollow()
      if let after { follow.after = after }
      wire.kind = .follow(follow)
    case .followAlerts: wire.kind = .followAlerts(WireNothing())
    case .followChanges: wire.kind = .followChanges(WireNothing())
    }
    return wire.bytes
  }

  init(decoding bytes: [UInt8]) throws(ControlFault) {
    guard let kind = try WireRequest(parsing: bytes).kind else {
      throw .malformed("a command of another version")
    }
    switch kind {
    case .follow(let follow): self = .follow(after: follow.hasAfter ? follow.after : nil)
    case .followAlerts: self = .followAlerts
    case .followChanges: self = .followChanges
    default: self = .command(try Command(kind))
    }
  }
}

extension Command {
  fileprivate var wire: WireRequest.OneOf_Kind {
    switch self {
    case .status: .status(WireNothing())
    case .verify: .verify(WireNothing())
    case .users: .users(WireNothing())
    case .claimSafety(let claim, let note):
      .claimSafety(
        .with {
          $0.claim = UInt32(claim.rawValue)
          $0.note = note
        })
    case .overrideSafety, .setTeam, .directives, .directive, .direct, .closeDirective,
      .acknowledge, .alerts, .acknowledgeAlert, .changes, .settings, .setProfile, .setSilence:
      directingWire
    case .setPosition(let fix): .setPosition(WireFix(fix))
    case .track(let user, let limit):
      .track(
        .with {
          $0.user = user
          $0.limit = Int64(limit)
        })
    case .devices: .devices(WireNothing())
    case .mesh: .mesh(WireNothing())
    case .reports: .reports(WireNothing())
    case .report(let id): .report(id)
    case .addReport(let draft): .addReport(WireReportDraft(draft))
    case .editReport(let id, let changes): .editReport(WireReportEdit(id, changes))
    case .deleteReport(let id): .deleteReport(id)
    case .confirmReport(let id): .confirmReport(id)
    case .commentReport(let id, let text):
      .commentReport(
        .with {
          $0.report = id
          $0.text = text
        })
    case .fences: .fences(WireNothing())
    case .fence(let id): .fence(id)
    case .addFence(let draft): .addFence(WireFenceDraft(draft))
    case .editFence(let id, let changes): .editFence(WireFenceEdit(id, changes))
    case .setFenceActive(let id, let isActive):
      .setFenceActive(
        .with {
          $0.fence = id
          $0.isActive = isActive
        })
    case .deleteFence(let id): .deleteFence(id)
    case .events(let after, let limit):
      .events(
        .with {
          if let after { $0.after = after }
          $0.limit = Int64(limit)
        })
    case .invite(let role, let uses, let validSeconds):
      .invite(
        .with {
          $0.role = UInt32(role.rawValue)
          $0.uses = Int64(uses)
          $0.validSeconds = validSeconds
        })
    case .admit(let request, let role):
      .admit(
        .with {
          $0.request = .init(request)
          $0.role = UInt32(role.rawValue)
        })
    case .revoke(let device): .revoke(device)
    case .rotateEpoch: .rotateEpoch(WireNothing())
    case .quarantine: .quarantine(WireNothing())
    case .release(let reference): .release(reference)
    case .bundlePiece(let place): .bundlePiece(.init(place))
    case .mergeBundle(let bytes, let place, let isLast):
      .mergeBundle(
        .with {
          $0.contents = .init(bytes)
          $0.place = .init(place)
          $0.isLast = isLast
        })
    }
  }

  fileprivate init(_ kind: WireRequest.OneOf_Kind) throws(ControlFault) {
    switch kind {
    case .status: self = .status
    case .verify: self = .verify
    case .users: self = .users
    case .claimSafety(let wire):
      self = .claimSafety(try Checked.code(wire.claim), note: wire.note)
    case .setPosition(let wire): self = .setPosition(try wire.fix)
    case .track(let wire):
      self = .track(of: wire.user, limit: try Checked.integer(wire.limit))
    case .devices: self = .devices
    case .mesh: self = .mesh
    case .reports: self = .reports
    case .report(let id): self = .report(id)
    case .addReport(let wire): self = .addReport(try wire.draft)
    case .editReport(let wire): self = .editReport(wire.report, try wire.changes)
    case .deleteReport(let id): self = .deleteReport(id)
    case .confirmReport(let id): self = .confirmReport(id)
    case .commentReport(let wire): self = .commentReport(wire.report, text: wire.text)
    case .fences: self = .fences
    case .fence(let id): self = .fence(id)
    case .addFence(let wire): self = .addFence(try wire.draft)
    case .editFence(let wire): self = .editFence(wire.fence, try wire.changes)
    case .setFenceActive(let wire): self = .setFenceActive(wire.fence, wire.isActive)
    case .deleteFence(let id): self = .deleteFence(id)
    case .events(let wire):
      self = .events(
        after: wire.hasAfter ? wire.after : nil, limit: try Checked.integer(wire.limit))
    case .invite(let wire):
      self = .invite(
        role: try Checked.code(wire.role), uses: try Checked.integer(wire.uses),
        validSeconds: wire.validSeconds)
    case .admit(let wire):
      self = .admit(request: Array(wire.request), role: try Checked.code(wire.role))
    case .revoke(let device): self = .revoke(device)
    case .rotateEpoch: self = .rotateEpoch
    case .quarantine: self = .quarantine
    case .release(let reference): self = .release(reference)
    case .bundlePiece(let place): self = .bundlePiece(at: Array(place))
    case .mergeBundle(let wire):
      self = .mergeBundle(Array(wire.contents), at: Array(wire.place), isLast: wire.isLast)
    case .follow, .followAlerts, .followChanges: throw .malformed("follow is no command")
    default: self = try Self.directing(kind)
    }
  }
}
