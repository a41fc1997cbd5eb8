internal import MusterCRDT
internal import MusterModel
internal import MusterStatus

/// Everybody in the operation as lists and the status function read them: each certified user and
/// each tracker once. People outlive their devices: who has none that counts any more is listed all
/// the same.
struct PersonRoster: Sendable {
  private var people: [UserID: Person] = [:]
  private var order: [UserID] = []
  private var devices: [DeviceID: UserID] = [:]
  private var trackers: [UserID: [UserID]] = [:]

  /// A person.
  struct Person: Sendable {
    var identity: PersonIdentity
    var row: RowState?
    /// All of their devices, and whether each is revoked.
    let devices: [(id: DeviceID, isRevoked: Bool)]

    var callsign: String? {
      row?.text(identity.isTracker ? .trackerCallsign : .userCallsign)
    }
  }

  /// A roster without people.
  init() {}

  /// - Parameters:
  ///   - admitted: the devices of each user, and whether each is revoked.
  ///   - row: reads a user's row.
  ///   - trackers: the rows of trackers, those that do not exist any more too.
  init(
    admitted: [UserID: [(author: Author, isRevoked: Bool)]], trackers: [RowState],
    row: (UserID) throws -> RowState?
  ) rethrows {
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
      // The row of a user without a certificate is not listed.
      return row.key.kind == .user
    }
    guard person.identity.isTracker == (row.key.kind == .tracker) else { return false }
    if person.identity.isTracker, !row.exists || row.owner != person.row?.owner { return false }
    people[user]?.row = row
    people[user]?.identity.team =
      row.text(person.identity.isTracker ? .trackerTeam : .userTeam) ?? ""
    return true
  }
}
