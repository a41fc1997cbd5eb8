internal import MusterLocation
internal import MusterModel
internal import MusterReplica

extension Node {
  /// Performs a command. On return its changes are durable, or nothing has changed.
  public func perform(_ command: Command) async -> Reply {
    if command.appends { await untilPeersAnswered() }
    if let write = command.rowWrite {
      return await gather(RowWriter.performing(write, onBehalfOf: nil))
    }
    do {
      return try reply(to: command)
    } catch {
      return .refused(error)
    }
  }

  private func reply(to command: Command) throws -> Reply {
    switch command {
    case .status: return .status(try status())
    case .users: return .users(try users())
    case .verify, .devices, .mesh, .events, .track, .councils, .quarantine, .writtenThrough,
      .delivery, .logStates, .bundlePiece, .photos, .photo, .records, .checkInPin, .reports,
      .report, .fences, .fence, .directives, .directive, .permits, .checkIns, .settings, .contacts,
      .unverifiedCalls, .call:
      return try read { try command.reading(from: &$0, now: $1) }
    case .setPosition, .rotateEpoch, .release, .mergeBundle, .requestPhoto, .setCheckInPins:
      return alone { try command.change(&$0, now: $1) }
    case .invite(let role, let user, let uses, let seconds):
      return try invite(role: role, of: user, uses: uses, validSeconds: seconds)
    case .invites: return .invites(try read { try $0.queries.invites(now: $1) })
    case .withdrawInvite(let reference):
      return .invites([try read { try $0.withdrawInvite(reference, now: $1) }])
    case .admit(let request, let role, let user):
      return try admit(request.bytes, role: role, of: user)
    case .revoke(let reference): return try revoke(reference)
    case .proposeCouncil(let members, let rootKey, let passphrase):
      return try proposeCouncil(of: members, rootKey: rootKey, passphrase: passphrase)
    case .endorseCouncil(let reference): return try endorseCouncil(reference)
    case .alerts: return .alerts(try alerts())
    case .acknowledgeAlert(let reference, let name, let user, let isByProgram):
      return try acknowledgeAlert(reference, by: name, for: user, isByProgram: isByProgram)
    case .clearDuress(let person): return try clearDuress(of: person)
    case .setPhoneClock(let person, let seconds):
      return try PhoneClockStatement.make(ofPerson: person, behindSeconds: seconds, at: self)
    case .changes: return .changes(changeNotifier.log.counts)
    case .proximity(let command):
      return .proximity(try ProximityHandler.reply(to: command, at: self))
    case .history, .timeline: return try read { try command.historyReply(by: &$0, now: $1) }
    case .answerCall, .overrideSafety, .setTeam, .direct, .addAssemblyZone, .closeDirective,
      .acknowledge,
      .withdrawAcknowledgement, .setProfile, .setSilence, .claimSafety, .claimSafetyOf,
      .relayClaim, .signOff, .signOn, .addPermit, .revokePermit, .startCheckIn, .reportCheckIn,
      .addReport, .editReport, .deleteReport, .loginReport, .confirmReport, .commentReport,
      .addPhoto, .removePhoto, .markPhoto, .removePhotoMark, .addFence, .editFence, .setFenceActive,
      .deleteFence, .addFenceRule, .removeFenceRule, .writeContact, .raiseUnverifiedCall,
      .confirmUnverifiedCall, .closeUnverifiedCall:
      preconditionFailure("\(command) is gathered")
    }
  }

  /// Lists people, with what is noted about the messages of their phones.
  private func users() throws -> [UserSummary] {
    let own = try user()
    return try read { replica, now in
      try replica.statuses(now: now).users().map { user in
        guard user.id == own || user.trackerOwner == own else { return user }
        let name = TrackerName(user.callsign, longestBytes: Limits.lineBytes)
        var user = user
        let phone = user.id == own ? nil : name
        user.phone = try location.phoneNotes.summary(
          of: phone, silence: replica.queries.silenceMilliseconds(of: user.id),
          behind: location.phones.behind(of: phone, in: replica, now: now), now: now.instant)
        return user
      }
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
      status.location = location.status(now: SystemClock.instant)
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
      replica.home.positionProblem = location.problem(now: now.instant)
      replica.home.isPhoneTableFull = location.isPhoneTableFull
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

  private func invite(
    role: Role, of user: String?, uses: Int, validSeconds: Int64
  ) throws -> Reply {
    let endpoints = ports.ownEndpoints
    let (milliseconds, overflow) = validSeconds.multipliedReportingOverflow(by: 1000)
    return try read { replica, now in
      let user = try user.map { try replica.statuses(now: now).user(named: $0) }
      let (invitation, id, expiresAt) = try replica.invite(
        role: role, of: user, uses: uses, validMilliseconds: overflow ? .max : milliseconds,
        endpoints: endpoints, now: now)
      return .invitation(ByteString(invitation), id: id, role: role, expiresAt: expiresAt)
    }
  }

  private func admit(_ request: [UInt8], role: Role, of other: String?) throws -> Reply {
    var admitted: (user: UserID, callsign: String)?
    var reply = Reply.done
    try attempt { replica, now in
      let other = try other.map { try replica.statuses(now: now).user(named: $0) }
      let (grant, user, callsign, outcome) = try replica.admit(
        request: request, role: role, of: other, now: now)
      admitted = (user, callsign)
      reply = .grant(ByteString(grant), callsign: callsign)
      return outcome
    }
    // Until the device is started for the first time, lists show the callsign of its request.
    if let admitted, role.reads, other == nil {
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
}
