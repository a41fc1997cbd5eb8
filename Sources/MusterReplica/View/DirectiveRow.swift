internal import MusterCRDT
internal import MusterModel

/// The people that a directive is for: those who are named, have the role or are in the team. All
/// of command and all members where none of these is set.
struct Audience: Hashable {
  private var users: Set<UserID> = []
  private var role: Role?
  private var team: String?

  init(_ addressees: Addressees) {
    switch addressees {
    case .everyone: break
    case .role(let role): self.role = role
    case .team(let team): self.team = team
    case .users(let users): self.users = Set(users)
    }
  }

  init(of row: RowState) {
    users = Set(row.references(in: .directiveUsers).map { UserID(raw: $0.raw) })
    role = row.code(.directiveRole).flatMap(Role.init)
    team = row.text(.directiveTeam)
  }

  /// Whether a directive of `author` is for somebody. The author is not asked, unless by name.
  /// Observers and relays are only meant by name or by role.
  func includes(
    _ user: UserID, role: Role, team: String, isTracker: Bool, of kind: DirectiveKind,
    by author: UserID?
  ) -> Bool {
    if users.contains(user) { return true }
    guard user != author else { return false }
    if let asked = self.role, !isTracker, role == asked { return true }
    if let asked = self.team, !team.isEmpty, asked == team { return true }
    guard users.isEmpty, self.role == nil, self.team == nil else { return false }
    // A tracker answers nothing, yet whoever carries it is to be accounted for.
    if isTracker { return kind.includesTrackers }
    return role == .command || role == .member
  }

  func includes(_ person: UserSummary, of kind: DirectiveKind, by author: UserID?) -> Bool {
    includes(
      person.id, role: person.role, team: person.team, isTracker: person.isTracker, of: kind,
      by: author)
  }

  /// In a few words, the named people by callsign.
  func words(among people: [UserSummary]) -> String {
    var words = users.map { user in
      people.first { $0.id == user }?.callsign ?? user.short
    }
    words.sort()
    if let role { words.append("role \(role.name)") }
    if let team { words.append("team \(team)") }
    return words.isEmpty ? "everyone" : words.joined(separator: ", ")
  }
}

/// What a directive's row says.
extension RowState {
  var directiveKind: DirectiveKind {
    code(.directiveKind).flatMap(DirectiveKind.init) ?? .message
  }

  /// Whether nobody has closed it; it may have been replaced all the same.
  var isOpenDirective: Bool { code(.directiveStatus) != DirectiveStatus.closed.rawValue }

  /// The fences to go to, by id; older programs wrote one in a field of its own.
  var directiveZones: [RowID] {
    var zones = Set(references(in: .directiveZones))
    if case .reference(let zone)? = shown(.directiveFence)?.value { zones.insert(zone) }
    return zones.sorted()
  }

  /// The directives that this one replaces, of those that send people. None replaces itself.
  var supersededDirectives: Set<RowID> {
    guard directiveKind.sendsPeople else { return [] }
    return Set(references(in: .directiveSupersedes)).subtracting([key.id])
  }

  /// Whom a roll call was for when it was issued: those on its frozen list, or those whom it names.
  /// Nil for one of an older program that is for a role, a team or everyone.
  var expectedPeople: Set<UserID>? {
    guard directiveKind == .rollcall else { return nil }
    let field = isSet(.directiveExpected) ? Field.directiveExpected : .directiveUsers
    let people = references(in: field).map { UserID(raw: $0.raw) }
    return people.isEmpty ? nil : Set(people)
  }

  /// Seconds from when it was issued to its deadline; nil where an older program gave a moment, or
  /// where it has none.
  var directiveDurationSeconds: UInt32? {
    guard case .number(let seconds)? = shown(.directiveDurationSeconds)?.value else { return nil }
    return seconds
  }

  /// The deadline as the author's clock claims it: a label.
  var directiveDeadline: Timestamp? {
    if let seconds = directiveDurationSeconds { return createdAt?.adding(seconds: seconds) }
    guard case .time(let moment)? = shown(.directiveDeadline)?.value else { return nil }
    return moment
  }

  /// The rows that the live values of a field name, each once, by id.
  func references(in field: Field) -> [RowID] {
    let found = values(of: field).compactMap { value -> RowID? in
      if case .reference(let row) = value.value { row } else { nil }
    }
    return Set(found).sorted()
  }
}
