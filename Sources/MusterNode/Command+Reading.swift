internal import MusterModel
internal import MusterReplica

/// Commands that only read the replica.
extension Command {
  /// Whether it only reads the operation, so that it can wait behind writes and be left out if its
  /// client is gone.
  public var isRead: Bool {
    switch self {
    case .status, .verify, .users, .devices, .mesh, .events, .track, .councils, .quarantine,
      .writtenThrough, .delivery, .logStates, .bundlePiece, .photos, .photo, .records,
      .checkInPin, .reports, .report, .fences, .fence, .directives, .directive, .permits,
      .checkIns, .settings, .contacts, .roster, .alerts, .unverifiedCalls, .call, .invites,
      .changes, .history, .timeline:
      true
    default: false
    }
  }

  /// Whether it reads a snapshot beside the node's queue. The others are small, or change what is
  /// cached there.
  var readsSnapshot: Bool {
    switch self {
    case .status, .verify, .writtenThrough, .checkInPin, .invites, .changes: false
    default: isRead
    }
  }

  /// Returns what a command reads, and the dates of new alerts, which the original MUST keep.
  func datedReading(
    from copy: inout Replica, now: ClockReading
  ) throws -> (Reply, AlertDates) {
    (try reading(from: &copy, now: now), copy.alertDates)
  }

  /// Returns what a command reads. MUST NOT be called for a command that does anything else.
  func reading(from replica: inout Replica, now: ClockReading) throws -> Reply {
    switch self {
    case .users: return .users(try replica.statuses(now: now).users())
    case .devices: return .devices(try replica.queries.devices())
    case .mesh: return .mesh(try replica.queries.mesh(now: now))
    case .events(let arrival, let limit):
      return .events(try replica.queries.crossings(after: arrival, limit: limit))
    case .track(let reference, let limit):
      let user = try replica.statuses(now: now).user(named: reference)
      return .track(try replica.queries.track(of: user, limit: limit))
    case .councils: return .councils(try replica.queries.councils())
    case .quarantine: return .quarantine(try replica.queries.quarantine())
    case .writtenThrough: return .writtenThrough(replica.queries.writtenThrough())
    case .delivery(let written):
      return .delivery(try replica.queries.delivery(through: written, now: now))
    case .logStates, .bundlePiece: return try carryingReply(by: &replica)
    case .records(let user): return .records(try replica.queries.allRecords(of: user))
    case .photos, .photo: return try photoReply(by: &replica)
    case .alerts: return .alerts(try replica.alerts(now: now))
    case .history, .timeline: return try historyReply(by: &replica, now: now)
    case .checkInPin:
      return .checkInPin(isRequired: try replica.queries.requiresCheckInPin())
    default: return try listing(from: &replica, now: now)
    }
  }

  private func listing(from replica: inout Replica, now: ClockReading) throws -> Reply {
    switch self {
    case .reports: return .reports(try replica.queries.reports(now: now))
    case .report(let reference):
      let id = try replica.queries.row(.report, named: reference)
      return .reports([try replica.queries.report(id, now: now)])
    case .fences: return .fences(try replica.queries.fences())
    case .fence(let reference):
      let id = try replica.queries.row(.fence, named: reference)
      return .fences(try replica.queries.fences().filter { $0.id == id })
    case .directives: return .directives(try replica.statuses(now: now).directives())
    case .directive(let reference):
      let id = try replica.queries.row(.directive, named: reference)
      return .directives([try replica.statuses(now: now).directive(id)])
    case .unverifiedCalls(let includesEnded):
      return .unverifiedCalls(
        try replica.queries.unverifiedCalls(includesEnded: includesEnded))
    case .permits: return .permits(try replica.queries.permits())
    case .checkIns: return .checkIns(try replica.statuses(now: now).checkIns())
    case .settings(let user): return .settings(try replica.settings(of: user, now: now))
    case .call(let user):
      let statuses = try replica.statuses(now: now)
      return .call(try replica.queries.callStanding(of: user, at: statuses))
    case .contacts: return .contacts(try replica.queries.contacts())
    case .roster: return .roster(try replica.statuses(now: now).roster())
    default: preconditionFailure("\(self) does not only read")
    }
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
