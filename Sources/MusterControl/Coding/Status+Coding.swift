internal import MusterModel

extension WireStatus {
  init(_ status: StatusSummary) {
    self.init()
    operation = .init(status.operation.bytes)
    operationName = status.operationName
    callsign = status.callsign
    device = .init(status.device.bytes)
    role = UInt32(status.role.rawValue)
    stateHash = .init(status.stateHash.bytes)
    stateIsIncomplete = status.stateIsIncomplete
    root = .init(status.root)
    logs = Int64(status.logs)
    frames = Int64(status.frames)
    waitingFrames = Int64(status.waitingFrames)
    quarantinedFrames = Int64(status.quarantinedFrames)
    missingFrames = Int64(status.missingFrames)
    users = Int64(status.users)
    reports = Int64(status.reports)
    fences = Int64(status.fences)
    crossings = Int64(status.crossings)
    peers = status.peers.map(WirePeer.init)
    if let report = status.fix { fix = WirePositionReport(report) }
    rejected = status.rejected
    droppedForLackOfRoom = status.droppedForLackOfRoom
    forks = status.forks.map(WireFork.init)
    if let free = status.diskFreeBytes { diskFreeBytes = free }
    if let status = status.location { location = WireLocationStatus(status) }
    if let summary = status.uplink { uplink = WireUplink(summary) }
    isRevoked = status.isRevoked
    if let lead = status.clockLead { clockLeadSeconds = lead.seconds }
    if let problem = status.stateFolderProblem { stateFolderProblem = problem }
    clones = status.clones.map(WireClone.init)
    bounds = status.bounds.map(WireBound.init)
    if let summary = status.epoch { epoch = WireEpoch(summary) }
    withholding = status.withholding.map(WireStandstill.init)
    stale = status.stale.map(WireSilence.init)
  }

  var summary: StatusSummary {
    get throws(ControlFault) {
      var status = StatusSummary(
        operation: try Checked.identifier(operation), operationName: operationName,
        callsign: callsign, device: try Checked.identifier(device), role: try Checked.code(role),
        stateHash: try Checked.stateHash(stateHash), stateIsIncomplete: stateIsIncomplete,
        root: Array(root), logs: try Checked.integer(logs), frames: try Checked.integer(frames),
        waitingFrames: try Checked.integer(waitingFrames),
        quarantinedFrames: try Checked.integer(quarantinedFrames),
        missingFrames: try Checked.integer(missingFrames),
        users: try Checked.integer(users),
        reports: try Checked.integer(reports), fences: try Checked.integer(fences),
        crossings: try Checked.integer(crossings),
        peers: try peers.checked { peer throws(ControlFault) in try peer.summary },
        fix: hasFix ? try fix.report : nil, rejected: rejected,
        droppedForLackOfRoom: droppedForLackOfRoom,
        forks: try forks.checked { fork throws(ControlFault) in try fork.summary },
        diskFreeBytes: hasDiskFreeBytes ? diskFreeBytes : nil)
      if hasLocation { status.location = location.status }
      if hasUplink { status.uplink = try uplink.summary }
      status.isRevoked = isRevoked
      if hasClockLeadSeconds { status.clockLead = ClockLead(seconds: clockLeadSeconds) }
      if hasStateFolderProblem { status.stateFolderProblem = stateFolderProblem }
      status.clones = try clones.checked { clone throws(ControlFault) in try clone.summary }
      status.bounds = try bounds.checked { bound throws(ControlFault) in try bound.summary }
      if hasEpoch { status.epoch = try epoch.summary }
      status.withholding = try withholding.checked { peer throws(ControlFault) in
        try peer.summary
      }
      status.stale = try stale.checked { device throws(ControlFault) in try device.summary }
      return status
    }
  }
}

extension WireLocationStatus {
  init(_ status: LocationStatus) {
    self.init()
    source = status.source
    state = status.state
    mode = status.mode
    refused = status.refused
  }

  var status: LocationStatus {
    LocationStatus(source: source, state: state, mode: mode, refused: refused)
  }
}

extension WireUplink {
  init(_ uplink: UplinkSummary) {
    self.init()
    serves = uplink.serves
    guests = Int64(uplink.guests)
    posts = uplink.posts.map { post in
      var wire = WireUplinkPost()
      wire.url = post.url
      wire.state = UInt32(post.state.rawValue)
      wire.sinceSeconds = post.sinceSeconds
      wire.lastError = post.lastError
      wire.advice = post.advice
      return wire
    }
  }

  var summary: UplinkSummary {
    get throws(ControlFault) {
      UplinkSummary(
        posts: try posts.checked { post throws(ControlFault) in
          UplinkSummary.Post(
            url: post.url, state: try Checked.code(post.state), sinceSeconds: post.sinceSeconds,
            lastError: post.lastError, advice: post.advice)
        }, serves: serves, guests: try Checked.integer(guests))
    }
  }
}

extension WireStandstill {
  init(_ standstill: StandstillSummary) {
    self.init()
    device = .init(standstill.device.bytes)
    callsign = standstill.callsign
    kind = UInt32(standstill.kind.rawValue)
    seconds = standstill.seconds
  }

  var summary: StandstillSummary {
    get throws(ControlFault) {
      StandstillSummary(
        device: try Checked.identifier(device), callsign: callsign, kind: try Checked.code(kind),
        seconds: seconds)
    }
  }
}

extension WireSilence {
  init(_ silence: SilenceSummary) {
    self.init()
    device = .init(silence.device.bytes)
    callsign = silence.callsign
    seconds = silence.seconds
  }

  var summary: SilenceSummary {
    get throws(ControlFault) {
      SilenceSummary(
        device: try Checked.identifier(device), callsign: callsign, seconds: seconds)
    }
  }
}

extension WireFork {
  init(_ fork: ForkSummary) {
    self.init()
    device = .init(fork.device.bytes)
    callsign = fork.callsign
    log = .init(fork.log.bytes)
    lane = UInt32(fork.lane.rawValue)
    place = fork.place
    branches = Int64(fork.branches)
  }

  var summary: ForkSummary {
    get throws(ControlFault) {
      ForkSummary(
        device: try Checked.identifier(device), callsign: callsign,
        log: try Checked.identifier(log), lane: try Checked.code(lane), place: place,
        branches: try Checked.integer(branches))
    }
  }
}

extension WireClone {
  init(_ clone: CloneSummary) {
    self.init()
    device = .init(clone.device.bytes)
    callsign = clone.callsign
    life = WireLife(clone.life)
    other = WireLife(clone.other)
    noticedAt = clone.noticedAt.milliseconds
  }

  var summary: CloneSummary {
    get throws(ControlFault) {
      CloneSummary(
        device: try Checked.identifier(device), callsign: callsign, life: try life.mark,
        other: try other.mark, noticedAt: Timestamp(milliseconds: noticedAt))
    }
  }
}

extension WireBound {
  init(_ bound: BoundSummary) {
    self.init()
    device = .init(bound.device.bytes)
    callsign = bound.callsign
    table = UInt32(bound.bound.rawValue)
    refusals = bound.refusals
  }

  var summary: BoundSummary {
    get throws(ControlFault) {
      BoundSummary(
        device: try Checked.identifier(device), callsign: callsign, bound: try Checked.code(table),
        refusals: refusals)
    }
  }
}

extension WireEpoch {
  init(_ epoch: EpochSummary) {
    self.init()
    id = .init(epoch.id.bytes)
    generation = epoch.generation
    callsign = epoch.callsign
    isOwn = epoch.isOwn
  }

  var summary: EpochSummary {
    get throws(ControlFault) {
      EpochSummary(
        id: try Checked.identifier(id), generation: generation, callsign: callsign, isOwn: isOwn)
    }
  }
}

extension WireLife {
  init(_ life: LifeMark) {
    self.init()
    generation = life.generation
    incarnation = .init(life.incarnation.bytes)
  }

  var mark: LifeMark {
    get throws(ControlFault) {
      LifeMark(generation: generation, incarnation: try Checked.identifier(incarnation))
    }
  }
}

extension WirePeer {
  init(_ peer: PeerSummary) {
    self.init()
    callsign = peer.callsign
    device = .init(peer.device.bytes)
    address = .init(peer.endpoint.address)
    port = UInt32(peer.endpoint.port)
    scope = peer.endpoint.scope
    lastHeardSeconds = peer.lastHeardSeconds
    behindFrames = peer.behindFrames
    interface = peer.interface
    if let microseconds = peer.roundTripMicroseconds { roundTripMicroseconds = microseconds }
    if let seconds = peer.connectedSeconds { connectedSeconds = seconds }
    if let bytes = peer.sentBytes { sentBytes = bytes }
    if let bytes = peer.receivedBytes { receivedBytes = bytes }
    state = UInt32(peer.state.rawValue)
    link = peer.link.index
    needsUpdate = UInt32(peer.needsUpdate?.rawValue ?? 0)
  }

  var summary: PeerSummary {
    get throws(ControlFault) {
      let port = try Checked.integer(port, UInt16.self)
      guard let endpoint = Endpoint(address: Array(address), port: port, scope: scope) else {
        throw .malformed("address not of 4 or 16 bytes")
      }
      var peer = PeerSummary(
        callsign: callsign, device: try Checked.identifier(device), state: try Checked.code(state),
        endpoint: endpoint, link: LinkID(index: link), interface: interface,
        lastHeardSeconds: lastHeardSeconds,
        connectedSeconds: hasConnectedSeconds ? connectedSeconds : nil,
        roundTripMicroseconds: hasRoundTripMicroseconds ? roundTripMicroseconds : nil,
        behindFrames: behindFrames, sentBytes: hasSentBytes ? sentBytes : nil,
        receivedBytes: hasReceivedBytes ? receivedBytes : nil)
      if needsUpdate != 0 { peer.needsUpdate = try Checked.code(needsUpdate) }
      return peer
    }
  }
}

extension WireVerification {
  init(_ report: VerificationReport) {
    self.init()
    frames = Int64(report.frames)
    logs = Int64(report.logs)
    stateHash = .init(report.stateHash.bytes)
    problems = report.problems
  }

  var report: VerificationReport {
    get throws(ControlFault) {
      VerificationReport(
        frames: try Checked.integer(frames), logs: try Checked.integer(logs),
        stateHash: try Checked.stateHash(stateHash), problems: problems)
    }
  }
}
