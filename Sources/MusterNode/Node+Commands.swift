public import MusterModel
internal import MusterReplica

extension Node {
  /// Performs a command. On return its changes are durable, or nothing has changed.
  public func perform(_ command: Command) async -> Reply {
    if command.appends { await untilPeersAnswered() }
    if let write = command.rowWrite { return await gather(write) }
    do {
      return try reply(to: command)
    } catch {
      return .refused(error)
    }
  }

  /// Performs a command, but rejects it if a row differs from the version that the client saw; the
  /// check and the write are atomic. A command that writes no rows is performed without the check.
  public func perform(
    _ command: Command, if kind: EntityKind, named reference: String, is seen: SeenVersion
  ) async -> Reply {
    guard let write = command.rowWrite else { return await perform(command) }
    await untilPeersAnswered()
    return await gather { replica, now in
      let id = try replica.queries.row(kind, named: reference)
      guard try seen.isCurrent(of: RowKey(kind: kind, id: id), in: &replica, now: now) else {
        throw NodeError.changed("\(kind) \(id.short) was changed meanwhile: reload and try again")
      }
      return try write(&replica, now)
    }
  }

  private func reply(to command: Command) throws -> Reply {
    switch command {
    case .status: return .status(try status())
    case .verify: return .verification(try read { replica, _ in try replica.verify() })
    case .users: return .users(try read { try $0.statuses(now: $1).users() })
    case .devices: return .devices(try read { replica, _ in try replica.queries.devices() })
    case .mesh: return .mesh(try read { try $0.queries.mesh(now: $1) })
    case .events(let arrival, let limit):
      return .events(
        try read { replica, _ in try replica.queries.crossings(after: arrival, limit: limit) })
    case .setPosition(let fix): return try setPosition(fix)
    case .track(let user, let limit): return .track(try track(of: user, limit: limit))
    case .invite(let role, let uses, let seconds):
      return try invite(role: role, uses: uses, validSeconds: seconds)
    case .admit(let request, let role): return try admit(request.bytes, role: role)
    case .revoke(let reference): return try revoke(reference)
    case .rotateEpoch: return try done { try $0.rotateEpoch(now: $1) }
    case .councils: return .councils(try read { replica, _ in try replica.queries.councils() })
    case .proposeCouncil(let members, let rootKey, let passphrase):
      return try proposeCouncil(of: members, rootKey: rootKey, passphrase: passphrase)
    case .endorseCouncil(let reference): return try endorseCouncil(reference)
    case .quarantine:
      return .quarantine(try read { replica, _ in try replica.queries.quarantine() })
    case .release(let reference): return try release(reference)
    case .writtenThrough:
      return .writtenThrough(try read { replica, _ in replica.queries.writtenThrough() })
    case .delivery(let written):
      return .delivery(try read { try $0.queries.delivery(through: written, now: $1) })
    case .logStates, .bundlePiece:
      return try read { replica, _ in try command.carryingReply(by: &replica) }
    case .mergeBundle(let bytes, let place, let isLast):
      return try merge(bytes.bytes, at: place.bytes, isLast: isLast)
    case .reports: return .reports(try read { try $0.queries.reports(now: $1) })
    case .report(let reference): return .reports([try report(reference)])
    case .photos, .photo: return try read { replica, _ in try command.photoReply(by: &replica) }
    case .requestPhoto: return try done { try command.requestPhoto(by: &$0, now: $1) }
    case .fences: return .fences(try read { replica, _ in try replica.queries.fences() })
    case .fence(let reference): return .fences(try fence(reference))
    case .directives: return .directives(try read { try $0.statuses(now: $1).directives() })
    case .directive(let reference): return .directives([try directive(reference)])
    case .alerts: return .alerts(try alerts())
    case .acknowledgeAlert(let reference, let name, let user):
      return try acknowledgeAlert(reference, by: name, for: user)
    case .permits: return .permits(try read { replica, _ in try replica.queries.permits() })
    case .checkIns: return .checkIns(try read { try $0.statuses(now: $1).checkIns() })
    case .checkInPin, .setCheckInPins, .clearDuress: return try duressReply(to: command)
    case .changes: return .changes(changeNotifier.log.counts)
    case .settings(let user): return .settings(try read { try $0.settings(of: user, now: $1) })
    case .proximity(let command): return .proximity(try reply(to: command))
    case .contacts: return .contacts(try read { replica, _ in try replica.queries.contacts() })
    case .overrideSafety, .setTeam, .direct, .addAssemblyZone, .closeDirective, .acknowledge,
      .withdrawAcknowledgement, .setProfile, .setSilence, .claimSafety, .claimSafetyOf,
      .relayClaim, .signOff, .signOn, .addPermit, .revokePermit, .startCheckIn, .reportCheckIn,
      .addReport, .editReport, .deleteReport, .confirmReport, .commentReport, .addPhoto,
      .removePhoto, .markPhoto, .removePhotoMark, .addFence, .editFence, .setFenceActive,
      .deleteFence, .addFenceRule, .removeFenceRule, .writeContact:
      preconditionFailure("\(command) is gathered")
    }
  }

  private func endorseCouncil(_ reference: String?) throws -> Reply {
    try attempt { try $0.endorseCouncil(reference, now: $1) }
    return .councils(try read { replica, _ in try replica.queries.councils() })
  }

  private func status() throws -> StatusSummary {
    var status = try read { try $0.status(now: $1) }
    status.rejected = rejections()
    status.diskFreeBytes = diskFreeBytes()
    if isRunning {
      status.location = location.status
      status.uplink = ports.uplinks?.summary
    }
    for index in status.peers.indices {
      status.peers[index].interface = ports.interfaceName(of: status.peers[index].link)
    }
    return status
  }

  private func report(_ reference: String) throws -> ReportSummary {
    try read { try $0.queries.report($0.queries.row(.report, named: reference), now: $1) }
  }

  private func fence(_ reference: String) throws -> [FenceSummary] {
    try read { replica, _ in
      let id = try replica.queries.row(.fence, named: reference)
      return try replica.queries.fences().filter { $0.id == id }
    }
  }

  /// Reads the active alerts, that of the disk with its free space now.
  func alerts() throws -> [Alert] {
    let free = diskFreeBytes()
    return try read { replica, now in
      replica.home.freeBytes = free
      return try replica.alerts(now: now)
    }
  }

  private func directive(_ reference: String) throws -> DirectiveSummary {
    try read { try $0.statuses(now: $1).directive($0.queries.row(.directive, named: reference)) }
  }

  private func revoke(_ reference: String) throws -> Reply {
    let device = try read { replica, _ in try replica.queries.device(named: reference) }
    try attempt { try $0.revoke(device, now: $1) }
    return .devices(
      try read { replica, _ in try replica.queries.devices().filter { $0.id == device } })
  }

  private func proposeCouncil(
    of references: [String], rootKey: ByteString?, passphrase: ByteString?
  ) throws -> Reply {
    let key = try rootKey.map { try RootKey(file: $0.bytes, passphrase: passphrase?.bytes) }
    let devices = try read { replica, _ in
      try references.map { try replica.queries.device(named: $0) }
    }
    try attempt { try $0.proposeCouncil(of: devices, by: key, now: $1) }
    return .councils(try read { replica, _ in try replica.queries.councils() })
  }

  private func release(_ reference: String) throws -> Reply {
    var reply = Reply.done
    try attempt { replica, now in
      let (count, outcome) = try replica.release(reference, now: now)
      reply = .released(count)
      return outcome
    }
    return reply
  }

  private func merge(_ bytes: [UInt8], at place: [UInt8], isLast: Bool) throws -> Reply {
    var reply = Reply.done
    try attempt { replica, now in
      let (progress, outcome) = try replica.merge(bytes, at: place, isLast: isLast, now: now)
      reply = .bundleProgress(progress)
      return outcome
    }
    return reply
  }

  /// Sets the position by hand. A mistyped year is likely, and a fix from the future would hide all
  /// later ones until then. A receiver's time is not compared with this device's clock, which may
  /// be wrong.
  private func setPosition(_ fix: Fix) throws -> Reply {
    try done { replica, now in
      guard fix.sampleTime.milliseconds(since: now.wall) <= 60_000 else {
        throw NodeError.refused("the time \(fix.sampleTime) is ahead of this device's clock")
      }
      return try replica.ingest(fix, now: now)
    }
  }

  private func invite(role: Role, uses: Int, validSeconds: Int64) throws -> Reply {
    let endpoints = ports.ownEndpoints
    let (milliseconds, overflow) = validSeconds.multipliedReportingOverflow(by: 1000)
    return try read { replica, now in
      let (invitation, expiresAt) = try replica.invite(
        role: role, uses: uses, validMilliseconds: overflow ? .max : milliseconds,
        endpoints: endpoints, now: now)
      return .invitation(ByteString(invitation), role: role, expiresAt: expiresAt)
    }
  }

  private func admit(_ request: [UInt8], role: Role) throws -> Reply {
    var admitted: (user: UserID, callsign: String)?
    var reply = Reply.done
    try attempt { replica, now in
      let (grant, user, callsign, outcome) = try replica.admit(
        request: request, role: role, now: now)
      admitted = (user, callsign)
      reply = .grant(ByteString(grant), callsign: callsign)
      return outcome
    }
    // Until the device is started for the first time, lists show the callsign of its request.
    if let admitted, role.reads {
      do {
        try attempt { replica, now in
          try replica.write(
            PersonRequests.setCallsign(admitted.callsign, of: admitted.user), now: now)
        }
      } catch {
        logger.warning("\(admitted.callsign) is listed without a callsign until then: \(error)")
      }
    }
    return reply
  }

  private func done(
    _ work: (inout Replica, ClockReading) throws -> Replica.Outcome
  ) throws -> Reply {
    try attempt(work)
    return .done
  }
}

extension Replica {
  fileprivate mutating func settings(
    of reference: String?, now: ClockReading
  ) throws -> SettingsSummary {
    let user = try reference.map { try statuses(now: now).user(named: $0) }
    return SettingsSummary(
      foreground: try queries.locationProfile(of: user, inForeground: true),
      background: try queries.locationProfile(of: user, inForeground: false),
      silenceSeconds: try queries.silenceSeconds(of: user))
  }
}
