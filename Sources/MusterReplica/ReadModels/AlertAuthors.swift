internal import MusterModel
internal import MusterStore

/// The people whose certificates stand behind alerts: the owner of a tracker, the author of a
/// report or of a timer. An author can raise many alerts, and takes one share of the table.
struct AlertAuthors {
  private let context: ReadContext
  private let people: [UserID: UserSummary]
  private let statuses: StatusModel
  private let checkIns: CheckInIndex

  init(people: [AssessedPerson], statuses: StatusQueries) {
    context = statuses.context
    self.people = Dictionary(
      people.map { ($0.summary.id, $0.summary) }, uniquingKeysWith: { first, _ in first })
    self.statuses = statuses.statuses
    checkIns = statuses.checkInIndex
  }

  /// Returns the author of what raises an alert; nil for this device itself, which also warns of
  /// other devices and of names: a flood by their owners leaves these warnings their places.
  func author(of id: AlertID) throws -> UserID? {
    switch id.kind {
    case .hazard, .reportGroup: try owner(.report, id.row)
    case .muster, .emptyFence, .zoneRule: try owner(.fence, id.row)
    case .overdue, .directive, .orderDone: try owner(.directive, id.row)
    case .checkIn, .checkInReminder, .stillness, .checkInGroup: checkIns.author(of: id.row)
    case .help, .inHazard, .silent, .safe, .battery, .nearZone, .furtherCalls, .duress,
      .calledOff, .silentGroup:
      person(UserID(raw: id.row.raw))
    case .clone, .bound, .clockFault, .readmission, .disputed, .sameCallsign, .revoked, .clock,
      .stateFolder, .disk, .positionSource, .unverifiedCall, .webhook:
      nil
    }
  }

  /// What folds check-ins of one act.
  var checkInFolding: CheckInFolding {
    CheckInFolding(context: context, checkIns: checkIns, people: people)
  }

  /// What folds people who fell silent with one laptop.
  ///
  /// - Parameter lost: as `SilenceFolding.lost`.
  func silenceFolding(
    stored: AlertTracker, lost: @escaping () -> [UserID: Int64]
  ) -> SilenceFolding {
    SilenceFolding(stored: stored, people: people, lost: lost)
  }

  /// Returns the owner of the tracker that a person carries; nil for others.
  func trackerOwner(of id: AlertID) -> UserID? {
    guard let person = people[UserID(raw: id.row.raw)], person.isTracker else { return nil }
    return person.trackerOwner
  }

  /// The callsign of the person that an alert is about.
  func callsign(of id: AlertID) throws -> String {
    let user = UserID(raw: id.row.raw)
    return try people[user]?.callsign ?? context.callsign(of: user)
  }

  /// Whether an alert is the call of a person who has a certificate.
  func isPersonsCall(_ id: AlertID) -> Bool {
    guard id.kind == .help || id.kind == .duress,
      let person = people[UserID(raw: id.row.raw)]
    else { return false }
    return !person.isTracker && !person.isUnknown
  }

  /// A person is named by others until their certificate arrives. Nil for this device's own entry
  /// into a zone, where the row is the zone's.
  private func person(_ user: UserID) -> UserID? {
    guard let person = people[user] else { return nil }
    if person.isUnknown { return statuses.namingAuthor(of: user) ?? person.trackerOwner ?? user }
    return person.trackerOwner ?? user
  }

  private func owner(_ kind: EntityKind, _ id: RowID) throws(StoreError) -> UserID? {
    try context.store.row(RowKey(kind: kind, id: id))?.owner
  }
}
