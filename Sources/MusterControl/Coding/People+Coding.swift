internal import MusterModel

extension WireUser {
  init(_ user: UserSummary) {
    self.init()
    id = .init(user.id.bytes)
    callsign = user.callsign
    role = UInt32(user.role.rawValue)
    safety = WireSafety(user.safety)
    reason = user.reason
    cause = UInt32(user.cause.rawValue)
    if let moment = user.reportedAt { reportedAt = moment.milliseconds }
    if let newest = user.fix { fix = WireFix(newest) }
    if let age = user.fixAgeSeconds { fixAgeSeconds = age }
    team = user.team
    isTracker = user.isTracker
    if let said = user.word { word = WireSafetyWord(said) }
    if let said = user.override { override = WireSafetyWord(said) }
  }

  var summary: UserSummary {
    get throws(ControlFault) {
      UserSummary(
        id: try Checked.identifier(id), callsign: callsign, role: try Checked.code(role),
        safety: try safety.state, reason: reason, cause: try Checked.code(cause),
        fix: hasFix ? try fix.fix : nil,
        reportedAt: hasReportedAt ? Timestamp(milliseconds: reportedAt) : nil,
        fixAgeSeconds: hasFixAgeSeconds ? fixAgeSeconds : nil, team: team, isTracker: isTracker,
        word: hasWord ? try word.word : nil, override: hasOverride ? try override.word : nil)
    }
  }
}

extension WireSafetyWord {
  init(_ word: SafetyWord) {
    self.init()
    claim = UInt32(word.claim.rawValue)
    note = word.note
    callsign = word.callsign
    saidAt = word.saidAt.milliseconds
  }

  var word: SafetyWord {
    get throws(ControlFault) {
      SafetyWord(
        claim: try Checked.code(claim), note: note, callsign: callsign,
        saidAt: Timestamp(milliseconds: saidAt))
    }
  }
}

extension WireSafety {
  init(_ state: SafetyState) {
    switch state {
    case .safe: self = .safe
    case .unsafe: self = .unsafe
    case .unknown: self = .unknown
    }
  }

  var state: SafetyState {
    get throws(ControlFault) {
      switch self {
      case .safe: .safe
      case .unsafe: .unsafe
      case .unknown: .unknown
      case .unspecified, .UNRECOGNIZED: throw .malformed("unknown safety \(rawValue)")
      }
    }
  }
}

extension WireDevice {
  init(_ device: DeviceSummary) {
    self.init()
    id = .init(device.id.bytes)
    user = .init(device.user.bytes)
    callsign = device.callsign
    role = UInt32(device.role.rawValue)
    rank = Int64(device.rank)
    isThisDevice = device.isThisDevice
    isRevoked = device.isRevoked
  }

  var summary: DeviceSummary {
    get throws(ControlFault) {
      DeviceSummary(
        id: try Checked.identifier(id), user: try Checked.identifier(user), callsign: callsign,
        role: try Checked.code(role), rank: try Checked.integer(rank), isThisDevice: isThisDevice,
        isRevoked: isRevoked)
    }
  }
}

extension WireQuarantinedFrame {
  init(_ frame: QuarantinedFrame) {
    self.init()
    hash = .init(frame.hash.bytes)
    device = .init(frame.device.bytes)
    callsign = frame.callsign
    log = .init(frame.log.bytes)
    lane = UInt32(frame.lane.rawValue)
    sequence = frame.sequence
    if let moment = frame.writtenAt { writtenAt = moment.milliseconds }
    contents = frame.contents
  }

  var summary: QuarantinedFrame {
    get throws(ControlFault) {
      guard let hash = FrameHash(bytes: hash) else { throw .malformed("hash not of 32 bytes") }
      return QuarantinedFrame(
        hash: hash, device: try Checked.identifier(device), callsign: callsign,
        log: try Checked.identifier(log), lane: try Checked.code(lane), sequence: sequence,
        writtenAt: hasWrittenAt ? Timestamp(milliseconds: writtenAt) : nil, contents: contents)
    }
  }
}
