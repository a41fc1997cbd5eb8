internal import MusterLocation
internal import MusterModel
internal import MusterReplica

extension Node {
  /// Performs a command. On return its changes are durable, or nothing has changed.
  public nonisolated func perform(_ command: Command) async -> Reply {
    if case .verify = command { return await verify() }
    if command.readsSnapshot { return await snapshotReply(to: command) }
    return await performInTurn(command)
  }

  /// Performs a command on the node's queue.
  private func performInTurn(_ command: Command) async -> Reply {
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
    case .writtenThrough, .checkInPin:
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
    case .acknowledgeAlert, .shelveAlert, .clearDuress:
      guard let change = command.alertChange else { preconditionFailure("\(command)") }
      return try changeAlert(change)
    case .setPhoneClock(let person, let seconds):
      return try PhoneClockStatement.make(ofPerson: person, behindSeconds: seconds, at: self)
    case .changes: return .changes(changeNotifier.log.counts)
    case .proximity(let command):
      return .proximity(try ProximityHandler.reply(to: command, at: self))
    case .verify, .users, .devices, .mesh, .events, .track, .councils, .quarantine, .delivery,
      .logStates, .bundlePiece, .photos, .photo, .records, .reports, .report, .fences, .fence,
      .directives, .directive, .permits, .checkIns, .settings, .contacts, .roster, .unverifiedCalls,
      .call, .alerts, .history, .timeline:
      preconditionFailure("\(command) reads beside the queue")
    case .answerCall, .overrideSafety, .setTeam, .direct, .addAssemblyZone, .closeDirective,
      .acknowledge,
      .withdrawAcknowledgement, .setProfile, .setSilence, .claimSafety, .claimSafetyOf,
      .relayClaim, .signOff, .signOn, .addPermit, .revokePermit, .startCheckIn, .reportCheckIn,
      .addReport, .editReport, .deleteReport, .loginReport, .confirmReport, .commentReport,
      .addPhoto, .removePhoto, .markPhoto, .removePhotoMark, .addFence, .editFence, .setFenceActive,
      .deleteFence, .addFenceRule, .removeFenceRule, .writeContact, .writeRoster,
      .raiseUnverifiedCall, .confirmUnverifiedCall, .closeUnverifiedCall:
      preconditionFailure("\(command) is gathered")
    }
  }

  /// Adds what is noted about the messages of the phones of this device's own people.
  func withPhones(_ users: [UserSummary]) throws -> [UserSummary] {
    let own = try user()
    var users = users
    try read { replica, now in
      let queries = replica.queries
      for index in users.indices {
        let user = users[index]
        guard user.id == own || user.trackerOwner == own else { continue }
        let name = TrackerName(user.callsign, longestBytes: Limits.lineBytes)
        let phone = user.id == own ? nil : name
        users[index].phone = try location.phoneNotes.summary(
          of: phone, silence: queries.silenceMilliseconds(of: user.id),
          behind: location.phones.behind(of: phone, in: replica, now: now), now: now.instant)
      }
    }
    return users
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
      let user = try user.map { try replica.statuses(now: now).invitee(named: $0) }
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
      let other = try other.map { try replica.statuses(now: now).invitee(named: $0) }
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
