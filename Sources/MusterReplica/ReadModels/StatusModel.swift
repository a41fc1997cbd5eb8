internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The status of each person as this node sees it: what was read of the store, the fixes that newer
/// records have replaced there, and the assessments of it.
///
/// ```
///   commits, control plane, dated records ─▶ Staleness ─▶ read again ─▶ StatusPicture
/// ```
///
/// What a change does not concern is neither read nor assessed again. Nothing of it is stored or
/// replicated: a coarse position carries the earlier fixes that it does not supersede (decision
/// 0044). The fixes seen here are needed besides for devices that are revoked, and for positions of
/// programs that carry none.
struct StatusModel: Sendable {
  private var picture = StatusPicture(scene: StatusScene(zones: [], orders: [], permits: []))
  private var scene = StatusScene(zones: [], orders: [], permits: [])
  private var histories: [DeviceID: FixHistory] = [:]
  private var roster = PersonRoster()
  private var positions: [DeviceID: DevicePosition] = [:]
  private var orders: [DatedRow<OrderEvidence>] = []
  private var permits: [DatedRow<PermitEvidence>] = []
  private var staleness = Staleness()
  /// When the statuses were brought up to date; nil before the first time.
  private(set) var lastLook: ClockReading?
  /// People whose conditions have changed since they were last taken.
  private var changed: Set<UserID> = []

  /// What has changed since the last refresh.
  struct Staleness: Sendable {
    /// Certificates, revocations, or which trackers there are.
    var roster = true
    /// Fences.
    var zones = true
    /// Orders and permits.
    var orders = true
    /// Everybody: settings, or the whole view.
    var everybody = true
    /// Every timer.
    var allCheckIns = true
    /// Timers.
    var checkIns: Set<RowID> = []
    /// Rows of people.
    var rows: Set<RowKey> = []
    /// Devices that have moved.
    var moved: Set<DeviceID> = []
    /// People with another change.
    var people: Set<UserID> = []
  }

  /// An order or a permit with what its date follows from.
  struct DatedRow<Content: Sendable>: Sendable {
    var content: Content
    let author: UserID
    let written: WrittenMoment
  }

  // MARK: Staleness

  /// Nothing that was read counts any more; the fixes that were seen do.
  mutating func markAllStale() { staleness = Staleness() }

  mutating func markRosterStale() { staleness.roster = true }

  /// A device has a new position, which may not be stored yet.
  mutating func noteMovement(of device: DeviceID) { staleness.moved.insert(device) }

  /// Something that no row contains changed for these people.
  mutating func noteChange(of people: Set<UserID>) { staleness.people.formUnion(people) }

  mutating func note(_ outcome: CommitOutcome) {
    staleness.moved.formUnion(outcome.moved)
    for key in outcome.changedRows {
      switch key.kind {
      case .user, .tracker: staleness.rows.insert(key)
      case .fence: staleness.zones = true
      case .directive, .permit: staleness.orders = true
      case .checkIn: staleness.checkIns.insert(key.id)
      case .settings: staleness.everybody = true
      default: break
      }
    }
  }

  /// Records of these devices were dated: what is known of their clocks may be more than before.
  ///
  /// - Parameter made: dates what was written.
  mutating func redate(_ devices: Set<DeviceID>, made: (WrittenMoment) -> Evidence) {
    let users = Set(devices.compactMap { roster.user(of: $0) })
    for user in users { staleness.people.formUnion(roster.dated(by: user)) }
    for index in orders.indices where users.contains(orders[index].author) {
      orders[index].content.made.narrow(to: made(orders[index].written))
    }
    for index in permits.indices where users.contains(permits[index].author) {
      permits[index].content.made.narrow(to: made(permits[index].written))
    }
  }

  /// What is to be read again; from here on it counts as read.
  mutating func takeStale() -> Staleness {
    defer {
      staleness = Staleness(
        roster: false, zones: false, orders: false, everybody: false, allCheckIns: false)
    }
    return staleness
  }

  // MARK: What was read

  var people: [PersonRoster.Person] { roster.all }
  func person(_ user: UserID) -> PersonRoster.Person? { roster[user] }
  /// Whether a person has a certificate or a tracker here.
  func isKnown(_ user: UserID) -> Bool { roster[user].map { !$0.identity.isUnknown } ?? false }
  /// The owner of the tracker that a person carries.
  func trackerOwner(of person: PersonRoster.Person) -> UserID? { roster.trackerOwner(of: person) }
  /// Who names a person that is not known; nil for others.
  func namingAuthor(of user: UserID) -> UserID? { roster.namingAuthor(of: user) }
  /// By device, how many people its user names who are not known and not listed.
  var excess: [DeviceID: UInt64] { roster.excess }
  func user(of device: DeviceID) -> UserID? { roster.user(of: device) }
  func position(of device: DeviceID) -> DevicePosition? { positions[device] }
  func assessment(of user: UserID) -> StatusAssessment? { picture.assessment(of: user) }
  func statements(of user: UserID) -> PersonStatements? { picture.evidence(of: user)?.statements }

  /// Returns how the assessments differ from those of another model, by user.
  func differences(from fresh: StatusModel) -> [(user: UserID, text: String)] {
    roster.users.union(fresh.roster.users).sorted().compactMap { user in
      let (kept, found) = (assessment(of: user), fresh.assessment(of: user))
      guard kept != found else { return nil }
      let texts = [kept, found].map { $0.map { "\($0)" } ?? "nothing" }
      return (user, "\(texts[0]) is kept, \(texts[1]) is found")
    }
  }

  /// MUST be followed by a replacement of the unknown people.
  mutating func replace(_ roster: PersonRoster) { self.roster = roster }

  /// Lists the people that rows name before their certificate or tracker arrives. Returns those
  /// that are listed now.
  ///
  /// - Parameter row: reads what is held of a person's row.
  mutating func replace(
    _ unknown: UnknownPeople, row: (UserID) throws -> RowState?
  ) rethrows -> Set<UserID> {
    try roster.replace(unknown, row: row)
    picture.keep(only: roster.users)
    return Set(unknown.listed.keys)
  }

  /// Takes the row of a person. Returns whose evidence it changes; nil if the roster is to be read
  /// again.
  mutating func replace(_ row: RowState) -> Set<UserID>? {
    let user = UserID(raw: row.key.id.raw)
    let before = roster[user]?.callsign
    guard roster.replace(row) else { return nil }
    guard roster[user]?.callsign != before else { return [user] }
    // Others' statements name their author.
    return roster.users.filter { picture.evidence(of: $0)?.statements.namesOthers ?? false }
      .union([user])
  }

  /// The unknown people that open orders and calls for help name.
  var namings: [UnknownPeople.Naming] {
    let byOrders = orders.filter { $0.content.isOpen && $0.content.isOrder }.flatMap { order in
      order.content.audience.users.union(order.content.audience.expected ?? [])
        .filter { !isKnown($0) }
        .map {
          UnknownPeople.Naming(
            person: $0, trackerOwner: nil, author: order.author,
            device: order.written.arrival?.author)
        }
    }
    return byOrders + roster.calls
  }

  mutating func replace(_ positions: [DevicePosition]) {
    self.positions = Dictionary(positions.map { ($0.device, $0) }, uniquingKeysWith: { $1 })
  }

  mutating func replace(_ position: DevicePosition?, of device: DeviceID) {
    positions[device] = position
  }

  /// Replaces orders and permits. What was known of their dates counts on.
  mutating func replace(
    _ orders: [DatedRow<OrderEvidence>], _ permits: [DatedRow<PermitEvidence>]
  ) {
    self.orders = Self.dated(orders, knowing: self.orders, \.made)
    self.permits = Self.dated(permits, knowing: self.permits, \.made)
  }

  private static func dated<Content>(
    _ rows: [DatedRow<Content>], knowing known: [DatedRow<Content>],
    _ made: WritableKeyPath<Content, Evidence>
  ) -> [DatedRow<Content>] {
    let dates = Dictionary(
      known.map { ($0.written.dot, $0.content[keyPath: made]) },
      uniquingKeysWith: { first, _ in first })
    return rows.map { row in
      guard var date = dates[row.written.dot] else { return row }
      var row = row
      date.narrow(to: row.content[keyPath: made])
      row.content[keyPath: made] = date
      return row
    }
  }

  /// Takes a device's newest position, and returns its relevant fixes.
  ///
  /// - Parameter made: the time of its record.
  mutating func history(
    of position: DevicePosition, made: Evidence, isRevoked: Bool
  ) -> FixHistory {
    let (report, age) = (position.report, position.report.age)
    let fix = FixEvidence(
      order: position.fixOrder, position: report.fix.position,
      accuracyDecimetres: report.fix.accuracyDecimetres, made: made.fix(of: age), age: age)
    var history = histories[position.device] ?? FixHistory()
    let earlier = position.earlier.map { FixEvidence($0, before: made) }
    history.record(earlier + [fix], isRevoked: isRevoked, in: scene)
    history.refine(fix.order, made: fix.made, age: age)
    histories[position.device] = history
    return history
  }

  // MARK: Assessing

  mutating func replace(zones: [StatusZone]) {
    scene = StatusScene(
      zones: zones, orders: orders.map(\.content), permits: permits.map(\.content))
    picture.update(scene)
  }

  mutating func updateOrders() {
    picture.update(orders: orders.map(\.content), permits: permits.map(\.content))
  }

  /// The next time of the boot clock at which time alone may change a status.
  var nextChange: Int64? { picture.nextChange }

  mutating func update(_ person: PersonEvidence) { picture.update(person) }

  /// Assesses the people who may have changed.
  mutating func refresh(at clock: StatusClock, now: ClockReading) {
    lastLook = now
    for change in picture.refresh(at: clock)
    where change.before?.conditions != change.after.conditions { changed.insert(change.user) }
  }

  /// Returns the people whose conditions have changed since the last call.
  mutating func takeChanged() -> Set<UserID> {
    defer { changed = [] }
    return changed
  }

  /// Counts everybody as changed.
  mutating func markAllChanged() { changed = roster.users }
}

/// What the date of a written value follows from.
struct WrittenMoment: Hashable, Sendable {
  let dot: Dot
  /// By the author's wall clock.
  let writtenAt: Timestamp
  /// Nil where the database knows none.
  let arrival: FrameArrival?
}

extension Evidence {
  /// Takes what is known by now as well. What contradicts the earlier knowledge replaces it.
  fileprivate mutating func narrow(to other: Evidence) {
    if case .stamped(let known) = self, case .stamped(let new) = other {
      self = .stamped(known.intersection(new) ?? new)
    } else {
      self = other
    }
  }
}

extension PersonStatements {
  /// Whether any of them is shown with the callsign of its author.
  fileprivate var namesOthers: Bool {
    !helpOverrides.isEmpty || !accountings.isEmpty || !relayed.isEmpty
  }
}
