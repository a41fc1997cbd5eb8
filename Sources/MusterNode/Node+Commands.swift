internal import MusterModel
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
    case .bundlePiece(let place):
      return .bundlePiece(try read { replica, _ in try replica.bundlePiece(at: place.bytes) })
    case .mergeBundle(let bytes, let place, let isLast):
      return try merge(bytes.bytes, at: place.bytes, isLast: isLast)
    case .reports: return .reports(try read { try $0.queries.reports(now: $1) })
    case .report(let reference): return .reports([try read { try $0.report(reference, now: $1) }])
    case .photos, .photo: return try read { replica, _ in try command.photoReply(by: &replica) }
    case .requestPhoto: return try done { try command.requestPhoto(by: &$0, now: $1) }
    case .fences: return .fences(try read { replica, _ in try replica.queries.fences() })
    case .fence(let reference):
      return .fences(try read { replica, _ in try replica.fences(named: reference) })
    case .directives: return .directives(try read { try $0.statuses(now: $1).directives() })
    case .directive(let reference):
      return .directives([try read { try $0.directive(reference, now: $1) }])
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

  /// Reads the active alerts, that of the disk with its free space now.
  func alerts() throws -> [Alert] {
    let free = diskFreeBytes()
    return try read { replica, now in
      replica.home.freeBytes = free
      return try replica.alerts(now: now)
    }
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

  func setPosition(_ fix: Fix, once request: RequestKey? = nil) throws -> Reply {
    try done { try $0.setPosition(fix, once: request, now: $1) }
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
