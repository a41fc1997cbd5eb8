public import MusterModel
internal import MusterStore

/// What a replica answers about people, orders and check-ins at one time: a snapshot with the
/// statuses up to date.
public struct StatusQueries {
  let context: ReadContext
  let ages: AgeReader
  let statuses: StatusModel
  let checkInIndex: CheckInIndex
  let zones: GeofenceMonitor.Zones
  let telemetry: TelemetryIndex

  /// Brings the statuses up to date, and takes the snapshot.
  init(of core: inout ReplicaCore, now: ClockReading) throws {
    try Self.refresh(&core, now: now)
    context = core.context
    ages = AgeReader(of: core, at: now)
    statuses = core.derived.statusModel
    checkInIndex = core.derived.checkIns
    zones = try core.monitor.zones(in: core.store)
    telemetry = core.records.telemetry
  }

  /// Brings the statuses up to date: what has changed since the last call is read and assessed
  /// again, and whose time has come.
  static func refresh(_ core: inout ReplicaCore, now: ClockReading) throws {
    let reader = StatusReader(
      context: core.context, ages: AgeReader(of: core, at: now),
      underDuress: core.derived.duress.people)
    // The saved dates of reports, once after each start.
    if !core.derived.checkIns.isRestored {
      let (store, boot) = (core.store, core.own.boot)
      try core.derived.checkIns.restore(at: reader.ages.reading, wall: now.wall, boot: boot) {
        name throws(StoreError) in try store.local(name)
      }
    }
    try reader.refresh(
      &core.derived.statusModel, checkIns: &core.derived.checkIns, zones: &core.monitor,
      dated: core.records.takeDated(), telemetry: core.records.telemetry)
    try HistoryIntake.recordStatuses(in: &core, now: now)
  }

  // MARK: People

  /// Returns everyone with a certificate, every tracker, and those that rows name before either
  /// arrives, in the order of lists, with their status.
  public func users() throws -> [UserSummary] { try people().map(\.summary) }

  /// Returns those of some people and trackers that are listed, in no order.
  public func users(_ ids: [UserID]) throws -> [UserSummary] {
    try personList.people(ids).map(\.summary)
  }

  /// Returns the same people with the status function's results.
  func people() throws -> [AssessedPerson] { try personList.people() }

  private var personList: PersonList {
    PersonList(
      context: context, ages: ages, statuses: statuses, zones: zones, telemetry: telemetry)
  }

  /// Returns the user with a callsign, or with an id that begins with these digits.
  public func user(named reference: String) throws -> UserID {
    try NameResolver(context: context).user(named: reference, among: users())
  }

  /// Returns who is in a team or has a role now, except those who signed off. Throws if no one is.
  ///
  /// - Parameters:
  ///   - team: empty for any.
  ///   - role: nil for any; carriers of trackers have none.
  public func members(ofTeam team: String, role: Role?) throws -> [UserID] {
    let found = try users().filter {
      !$0.has(.signedOff) && !$0.isUnknown && (team.isEmpty || $0.team == team)
        && (role == nil || (!$0.isTracker && $0.role == role))
    }
    guard !found.isEmpty else {
      throw Refusal("no one is in that team or has that role: see muster user list", .unknown)
    }
    return found.map(\.id)
  }

  // MARK: Directives

  var directiveList: DirectiveList { DirectiveList(context: context, zones: zones) }

  /// Returns all directives, open ones first, then the newest.
  public func directives() throws -> [DirectiveSummary] {
    try directiveList.directives(among: people())
  }

  /// Returns a directive. Throws `Refusal` for one that does not exist, or has not arrived.
  public func directive(_ id: RowID) throws -> DirectiveSummary {
    try directiveList.directive(id, among: people())
  }

  /// Returns the only open directive that a user has not answered, or, to withdraw an answer, has
  /// answered. Throws if there is none, or more than one.
  ///
  /// - Parameter user: nil for this device's own.
  public func directive(waitingFor user: UserID?, answered: Bool) throws -> RowID {
    try directiveList.waiting(
      for: user ?? context.local.author.user, answered: answered, among: directives())
  }

  // MARK: Alerts

  /// Returns alerts with the person that each is about, when it happened, and the emergency
  /// contacts of those of a danger to people.
  public func completed(_ alerts: [Alert]) throws -> [Alert] {
    guard !alerts.isEmpty else { return [] }
    let people = try people()
    let (summaries, times) = (people.map(\.summary), AlertTimes(of: people, ages: ages))
    let reader = AlertContacts(
      context: context, contacts: try ContactList(context: context).contacts(),
      people: Dictionary(summaries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
      checkIns: checkInIndex)
    return try alerts.map { alert in
      var alert = try reader.adding(to: alert)
      alert.happenedAt = try times.moment(of: alert)
      return alert
    }
  }

  // MARK: Check-ins

  /// Returns the timers: those that run by their due time, then the newest of those that ended.
  public func checkIns() throws -> [CheckInSummary] {
    try CheckInReader(context: context, ages: ages).summaries(by: statuses)
  }
}
