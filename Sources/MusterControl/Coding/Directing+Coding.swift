internal import MusterModel
internal import MusterNode

/// The commands by which people are directed and watched over, and their answers.
extension Command {
  var directingWire: WireRequest.OneOf_Kind {
    switch self {
    case .overrideSafety(let user, let claim, let note):
      .overrideSafety(
        .with {
          $0.user = user
          $0.claim = UInt32(claim?.rawValue ?? 0)
          $0.note = note
        })
    case .setTeam(let team, let user):
      .setTeam(
        .with {
          $0.team = team
          if let user { $0.user = user }
        })
    case .directives: .directives(WireNothing())
    case .directive(let id): .directive(id)
    case .direct(let order): .direct(WireDirect(order))
    case .closeDirective(let id): .closeDirective(id)
    case .acknowledge(let id, let note, let user):
      .acknowledge(
        .with {
          $0.directive = id
          $0.note = note
          if let user { $0.user = user }
        })
    case .alerts: .alerts(WireNothing())
    case .acknowledgeAlert(let id, let name):
      .acknowledgeAlert(
        .with {
          $0.alert = id
          if let name { $0.name = name }
        })
    case .changes: .changes(WireNothing())
    case .settings(let user): .settings(.with { if let user { $0.user = user } })
    case .setProfile(let profile, let user, let isForeground):
      .setProfile(
        .with {
          $0.profile = .init(profile.encoded)
          if let user { $0.user = user }
          $0.isForeground = isForeground
        })
    case .setSilence(let seconds, let user):
      .setSilence(
        .with {
          $0.seconds = seconds
          if let user { $0.user = user }
        })
    default: preconditionFailure("\(self) directs nobody")
    }
  }

  static func directing(_ kind: WireRequest.OneOf_Kind) throws(ControlFault) -> Command {
    switch kind {
    case .overrideSafety(let wire):
      .overrideSafety(
        user: wire.user, wire.claim == 0 ? nil : try Checked.code(wire.claim), note: wire.note)
    case .setTeam(let wire): .setTeam(wire.team, user: wire.hasUser ? wire.user : nil)
    case .directives: .directives
    case .directive(let id): .directive(id)
    case .direct(let wire): .direct(try wire.order)
    case .closeDirective(let id): .closeDirective(id)
    case .acknowledge(let wire):
      .acknowledge(wire.directive, note: wire.note, user: wire.hasUser ? wire.user : nil)
    case .alerts: .alerts
    case .acknowledgeAlert(let wire):
      .acknowledgeAlert(wire.alert, by: wire.hasName ? wire.name : nil)
    case .changes: .changes
    case .settings(let wire): .settings(user: wire.hasUser ? wire.user : nil)
    case .setProfile(let wire):
      .setProfile(
        try LocationProfile(wire.profile), user: wire.hasUser ? wire.user : nil,
        isForeground: wire.isForeground)
    case .setSilence(let wire):
      .setSilence(seconds: wire.seconds, user: wire.hasUser ? wire.user : nil)
    default: throw .malformed("a command of another version")
    }
  }
}

extension Reply {
  var directingWire: WireResponse.OneOf_Kind {
    switch self {
    case .directives(let directives):
      .directives(.with { $0.directives = directives.map(WireDirective.init) })
    case .alerts(let alerts): .alerts(.with { $0.alerts = alerts.map(WireAlert.init) })
    case .changes(let counts): .changes(.with { $0.counts = counts.counts })
    case .settings(let settings):
      .settings(
        .with {
          $0.foreground = .init(settings.foreground.encoded)
          $0.background = .init(settings.background.encoded)
          $0.silenceSeconds = settings.silenceSeconds
        })
    default: preconditionFailure("\(self) is no answer of this kind")
    }
  }

  static func directing(_ kind: WireResponse.OneOf_Kind) throws(ControlFault) -> Reply {
    switch kind {
    case .directives(let wire):
      return .directives(
        try wire.directives.checked { row throws(ControlFault) in try row.summary })
    case .alerts(let wire):
      return .alerts(try wire.alerts.checked { alert throws(ControlFault) in try alert.alert })
    case .changes(let wire):
      guard let counts = ChangeCounts(wire.counts) else { throw .malformed("counts") }
      return .changes(counts)
    case .settings(let wire):
      return .settings(
        SettingsSummary(
          foreground: try LocationProfile(wire.foreground),
          background: try LocationProfile(wire.background), silenceSeconds: wire.silenceSeconds))
    default: throw .malformed("an answer of another version")
    }
  }
}

extension LocationProfile {
  fileprivate var encoded: [UInt8] {
    var writer = ByteWriter()
    append(to: &writer)
    return writer.bytes
  }

  fileprivate init(_ wire: some Sequence<UInt8>) throws(ControlFault) {
    var reader = ByteReader(Array(wire))
    do throws(DecodingFault) {
      try self.init(from: &reader)
      try reader.expectEnd()
    } catch {
      throw .malformed("location profile")
    }
  }
}

extension WireDirect {
  fileprivate init(_ order: DirectiveOrder) {
    self.init()
    kind = UInt32(order.kind.rawValue)
    text = order.text
    if let asked = order.role { role = UInt32(asked.rawValue) }
    if let asked = order.team { team = asked }
    users = order.users
    if let place = order.fence { fence = place }
    if let seconds = order.deadlineSeconds { deadlineSeconds = seconds }
  }

  fileprivate var order: DirectiveOrder {
    get throws(ControlFault) {
      DirectiveOrder(
        kind: try Checked.code(kind), text: text, role: hasRole ? try Checked.code(role) : nil,
        team: hasTeam ? team : nil, users: users, fence: hasFence ? fence : nil,
        deadlineSeconds: hasDeadlineSeconds ? deadlineSeconds : nil)
    }
  }
}

extension WireDirective {
  fileprivate init(_ directive: DirectiveSummary) {
    self.init()
    id = .init(directive.id.bytes)
    kind = UInt32(directive.kind.rawValue)
    text = directive.text
    addressees = directive.addressees
    if let place = directive.fence { fence = .init(place.bytes) }
    fenceName = directive.fenceName
    if let moment = directive.deadline { deadline = moment.milliseconds }
    status = UInt32(directive.status.rawValue)
    callsign = directive.callsign
    createdAt = directive.createdAt.milliseconds
    people = directive.people.map(WireRespondent.init)
  }

  fileprivate var summary: DirectiveSummary {
    get throws(ControlFault) {
      DirectiveSummary(
        id: try Checked.identifier(id), kind: try Checked.code(kind), text: text,
        addressees: addressees, fence: fence.isEmpty ? nil : try Checked.identifier(fence),
        fenceName: fenceName,
        deadline: hasDeadline ? Timestamp(milliseconds: deadline) : nil,
        status: try Checked.code(status), callsign: callsign,
        createdAt: Timestamp(milliseconds: createdAt),
        people: try people.checked { person throws(ControlFault) in try person.respondent })
    }
  }
}

extension WireRespondent {
  fileprivate init(_ person: Respondent) {
    self.init()
    user = .init(person.user.bytes)
    callsign = person.callsign
    state = person.state.rawValue
    reason = person.reason
    if let moment = person.answeredAt { answeredAt = moment.milliseconds }
    if let other = person.answeredBy { answeredBy = other }
    if let age = person.fixAgeSeconds { fixAgeSeconds = age }
  }

  fileprivate var respondent: Respondent {
    get throws(ControlFault) {
      guard let state = Respondent.State(rawValue: state) else { throw .malformed("answer") }
      return Respondent(
        user: try Checked.identifier(user), callsign: callsign, state: state, reason: reason,
        answeredAt: hasAnsweredAt ? Timestamp(milliseconds: answeredAt) : nil,
        answeredBy: hasAnsweredBy ? answeredBy : nil,
        fixAgeSeconds: hasFixAgeSeconds ? fixAgeSeconds : nil)
    }
  }
}

extension WireAlert {
  fileprivate init(_ alert: Alert) {
    self.init()
    kind = UInt32(alert.id.kind.rawValue)
    row = .init(alert.id.row.bytes)
    level = UInt32(alert.level.rawValue)
    text = alert.text
    since = alert.since.milliseconds
    if let acknowledgement = alert.acknowledgement {
      acknowledgedBy = acknowledgement.name
      acknowledgedAt = acknowledgement.moment.milliseconds
    }
  }

  fileprivate var alert: Alert {
    get throws(ControlFault) {
      Alert(
        id: AlertID(kind: try Checked.code(kind), row: try Checked.identifier(row)),
        level: try Checked.code(level), text: text, since: Timestamp(milliseconds: since),
        acknowledgement: hasAcknowledgedBy
          ? AlertAcknowledgement(
            name: acknowledgedBy, moment: Timestamp(milliseconds: acknowledgedAt)) : nil)
    }
  }
}
