internal import MusterCRDT
internal import MusterModel
internal import MusterStatus

/// Everybody in the operation as lists and the status function read them: each certified user and
/// each tracker once, and the people that rows name before their certificate or tracker arrives.
/// People outlive their devices: who has none that counts any more is listed all the same.
struct PersonRoster: Sendable {
  private var people: [UserID: Person] = [:]
  private var order: [UserID] = []
  private var devices: [DeviceID: UserID] = [:]
  private var trackers: [UserID: [UserID]] = [:]
  private var unknown = UnknownPeople()
  /// The open calls for help about people without a certificate or tracker, from their rows.
  private(set) var calls: [UnknownPeople.Naming] = []

  /// A person.
  struct Person: Sendable {
    var identity: PersonIdentity
    var row: RowState?
    /// All of their devices, and whether each is revoked.
    let devices: [(id: DeviceID, isRevoked: Bool)]

    /// As it is shown.
    var callsign: String? {
      row?.text(row?.key.kind == .tracker ? .trackerCallsign : .userCallsign)
        .map { ShownName.text(of: $0) }
    }

    /// The callsign, or else the first digits of the id.
    var name: String {
      if let callsign { return callsign }
      let id = identity.id.short
      guard identity.isUnknown else { return id }
      return identity.isTracker ? "unknown tracker \(id)" : "unknown person \(id)"
    }
  }

  /// A roster without people.
  init() {}

  /// - Parameters:
  ///   - admitted: the devices of each user, and whether each is revoked.
  ///   - row: reads a user's row.
  ///   - trackers: the rows of trackers, those that do not exist any more too.
  ///   - calls: the open calls for help about people who are neither.
  init(
    admitted: [UserID: [(author: Author, isRevoked: Bool)]], trackers: [RowState],
    calls: [UnknownPeople.Naming], row: (UserID) throws -> RowState?
  ) rethrows {
    self.calls = calls
    for (user, devices) in admitted.sorted(by: { $0.key < $1.key }) {
      let counting = devices.filter { !$0.isRevoked }
      let roles = (counting.isEmpty ? devices : counting).map(\.author.role)
      let row = try row(user)
      var listed: [DeviceID: Bool] = [:]
      for (author, isRevoked) in devices { listed[author.device] = isRevoked }
      add(
        Person(
          identity: PersonIdentity(
            id: user, role: roles.min { $0.rawValue < $1.rawValue } ?? .observer,
            team: row?.text(.userTeam) ?? "", isTracker: false),
          row: row, devices: listed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }
    for row in trackers where row.exists {
      guard let owner = row.owner,
        self.trackers[owner, default: []].count < Limits.trackersPerDevice
      else { continue }
      let user = UserID(raw: row.key.id.raw)
      self.trackers[owner, default: []].append(user)
      add(
        Person(
          identity: PersonIdentity(
            id: user, role: .member, team: row.text(.trackerTeam) ?? "", isTracker: true),
          row: row, devices: [(DeviceID(tracker: row.key.id), false)]))
    }
  }

  /// Lists the people that rows name and who have neither a certificate nor a tracker here, instead
  /// of those before.
  ///
  /// - Parameter row: reads what is held of a person's row.
  mutating func replace(
    _ unknown: UnknownPeople, row: (UserID) throws -> RowState?
  ) rethrows {
    for user in order where people[user]?.identity.isUnknown == true { people[user] = nil }
    order.removeAll { people[$0] == nil }
    self.unknown = unknown
    for (user, naming) in unknown.listed.sorted(by: { $0.key < $1.key })
    where people[user] == nil {
      let row = try row(user)
      add(
        Person(
          identity: PersonIdentity(
            id: user, role: .member, team: row?.text(.userTeam) ?? "",
            isTracker: naming.trackerOwner != nil,
            isUnknown: true),
          row: row, devices: []))
    }
  }

  /// The owner of the tracker that a person carries.
  func trackerOwner(of person: Person) -> UserID? {
    guard person.identity.isTracker else { return nil }
    guard person.identity.isUnknown else { return person.row?.owner }
    return unknown.listed[person.identity.id]?.trackerOwner
  }

  /// Who names a person that is not known; nil for others.
  func namingAuthor(of user: UserID) -> UserID? { unknown.listed[user]?.author }

  /// By device, how many people its user names who are not known and not listed.
  var excess: [DeviceID: UInt64] { unknown.excess }

  private mutating func add(_ person: Person) {
    if people.updateValue(person, forKey: person.identity.id) == nil {
      order.append(person.identity.id)
    }
    for device in person.devices { devices[device.id] = person.identity.id }
  }

  /// Users by id, then trackers by id.
  var all: [Person] { order.compactMap { people[$0] } }
  /// Everybody's id.
  var users: Set<UserID> { Set(order) }
  subscript(user: UserID) -> Person? { people[user] }
  /// Whose device it is.
  func user(of device: DeviceID) -> UserID? { devices[device] }
  /// Whose records are dated by the clocks of a user's devices: their own and their trackers'.
  func dated(by user: UserID) -> [UserID] { [user] + (trackers[user] ?? []) }

  /// Replaces a person's row. Returns false if that changes who is on the roster.
  mutating func replace(_ row: RowState) -> Bool {
    let user = UserID(raw: row.key.id.raw)
    guard let person = people[user] else {
      // The row of a user without a certificate is not listed, unless it calls for help.
      return row.key.kind == .user && !row.hasCallByOthers
    }
    if person.identity.isUnknown { return false }
    guard person.identity.isTracker == (row.key.kind == .tracker) else { return false }
    if person.identity.isTracker, !row.exists || row.owner != person.row?.owner { return false }
    people[user]?.row = row
    people[user]?.identity.team =
      row.text(person.identity.isTracker ? .trackerTeam : .userTeam) ?? ""
    return true
  }
}

extension RowState {
  /// Whether others state that the user needs help: frames of the user cannot be read without
  /// their certificate.
  fileprivate var hasCallByOthers: Bool {
    [.userSafetyOverride, .userRelayedClaim].contains { field in
      values(of: field).contains { SafetyStanding.claim(of: $0.value)?.claim == .needsHelp }
    }
  }
}
