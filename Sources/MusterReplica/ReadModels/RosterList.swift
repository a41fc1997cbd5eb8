internal import MusterCRDT
public import MusterModel
internal import MusterStore

/// The people that command expects: the rows of users with a contact, of which most have no
/// certificate yet.
struct RosterList {
  let context: ReadContext

  /// Returns what a row states about a person on the roster; nil for another row.
  static func entry(of row: RowState) -> RosterEntry? {
    guard let name = row.text(.userCallsign), let contact = row.text(.userContact) else {
      return nil
    }
    return RosterEntry(name: name, team: row.text(.userTeam) ?? "", contact: contact)
  }

  /// Whether the person of a row has a device, or command stated that they arrived.
  func hasArrived(_ row: RowState) -> Bool {
    row.isSet(.userDeactivated) || context.control.hasCertified(UserID(raw: row.key.id.raw))
  }

  /// Returns the roster by name.
  ///
  /// - Parameters:
  ///   - rows: those of users.
  ///   - known: the people who take part.
  func people(in rows: [RowState], beside known: [UserSummary]) -> [RosterPerson] {
    let known = known.filter { !$0.isUnknown }
    var bySkeleton: [String: [Int]] = [:]
    for (index, user) in known.enumerated() {
      for skeleton in NameLikeness(user.callsign).skeletons {
        bySkeleton[skeleton, default: []].append(index)
      }
    }
    let found = rows.compactMap { row -> RosterPerson? in
      guard let entry = Self.entry(of: row) else { return nil }
      let hasArrived = hasArrived(row)
      let alike =
        hasArrived
        ? [] : Set(NameLikeness(entry.name).skeletons.flatMap { bySkeleton[$0] ?? [] }).sorted()
      let namesakes = alike.map { index in
        let user = known[index]
        return RosterNamesake(id: user.id, callsign: user.callsign, isTracker: user.isTracker)
      }
      return RosterPerson(
        id: UserID(raw: row.key.id.raw), entry: entry, hasArrived: hasArrived,
        namesakes: namesakes)
    }
    return found.sorted { ($0.entry.name, $0.id) < ($1.entry.name, $1.id) }
  }
}

extension StatusQueries {
  /// Returns the people that command expects, by name, arrived or not.
  public func roster() throws -> [RosterPerson] {
    try RosterList(context: context)
      .people(in: context.store.rows(.user), beside: users())
  }

  /// Returns the person that an invite is for: one on the roster with this id, or one who takes
  /// part, as `user(named:)` finds them.
  public func invitee(named reference: String) throws -> UserID {
    if let expected = try roster().first(where: { "\($0.id)" == reference }) { return expected.id }
    return try user(named: reference)
  }
}
