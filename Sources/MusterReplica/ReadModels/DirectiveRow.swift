internal import MusterCRDT
internal import MusterModel

/// The audience of a directive: named people, a role or a team. All of command and all members if
/// none of these is set.
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
    users = row.users(in: .directiveUsers)
    role = row.code(.directiveRole).flatMap(Role.init)
    team = row.text(.directiveTeam)
  }

  /// Whether a directive of `author` addresses a person. The author is included only by name,
  /// observers and relays only by name or by role.
  func includes(
    _ user: UserID, role: Role, team: String, isTracker: Bool, of kind: DirectiveKind,
    by author: UserID?
  ) -> Bool {
    if users.contains(user) { return true }
    guard user != author else { return false }
    if let asked = self.role, !isTracker, role == asked { return true }
    if let asked = self.team, !team.isEmpty, asked == team { return true }
    guard users.isEmpty, self.role == nil, self.team == nil else { return false }
    // A tracker cannot answer, but its carrier must be accounted for.
    if isTracker { return kind.includesTrackers }
    return role == .command || role == .member
  }

  func includes(_ person: UserSummary, of kind: DirectiveKind, by author: UserID?) -> Bool {
    includes(
      person.id, role: person.role, team: person.team, isTracker: person.isTracker, of: kind,
      by: author)
  }

  /// In a few words; named people by callsign.
  func phrase(among people: [UserSummary]) -> Phrase {
    var names = users.map { user in
      people.first { $0.id == user }?.callsign ?? user.short
    }.sorted().map(Phrase.Value.text)
    if let role { names.append(.phrase(.ofRole, ["role": .phrase(Phrase("as", role))])) }
    if let team { names.append(.phrase(.ofTeam, ["team": .text(team)])) }
    return names.isEmpty ? Phrase(.toEveryone) : Phrase(.names, ["names": .list(names)])
  }
}

/// The fields of a directive's row.
extension RowState {
  var directiveKind: DirectiveKind {
    code(.directiveKind).flatMap(DirectiveKind.init) ?? .message
  }

  /// Whether it is not closed; it may have been superseded.
  var isOpenDirective: Bool { code(.directiveStatus) != DirectiveStatus.closed.rawValue }

  /// The fences to go to, by id; older programs wrote one in a separate field.
  var directiveZones: [RowID] {
    var zones = Set(references(in: .directiveZones))
    if case .reference(let zone)? = shown(.directiveFence)?.value { zones.insert(zone) }
    return zones.sorted()
  }

  /// The directives that this one supersedes: an order to a zone those to a zone, a roll call roll
  /// calls. None supersedes itself.
  var supersededDirectives: Set<RowID> {
    guard directiveKind.isOrder else { return [] }
    return Set(references(in: .directiveSupersedes)).subtracting([key.id])
  }

  /// The people that a roll call addressed at its issue: those on its frozen list, or those that
  /// it names. Nil for one of an older program for a role, a team or everyone.
  var expectedPeople: Set<UserID>? {
    guard directiveKind == .rollcall else { return nil }
    let people = users(in: isSet(.directiveExpected) ? .directiveExpected : .directiveUsers)
    return people.isEmpty ? nil : people
  }

  /// Seconds from issue to deadline, the least of several live values; nil for a time by an older
  /// program, or without a deadline.
  var directiveDurationSeconds: UInt32? { number(.directiveDurationSeconds) }

  /// The deadline by the author's clock: a label.
  var directiveDeadline: DirectiveDeadline? {
    if let seconds = directiveDurationSeconds {
      let time = createdAt?.adding(seconds: seconds)
      return time.map { DirectiveDeadline(time: $0, durationSeconds: seconds) }
    }
    guard case .time(let moment)? = shown(.directiveDeadline)?.value else { return nil }
    return DirectiveDeadline(time: moment, durationSeconds: nil)
  }

  /// Returns the answers of people, and those for the carriers of their trackers.
  func answers(
    in operation: OperationID
  ) -> [(user: UserID, note: String, value: LiveValue)] {
    let values = values(of: .directiveAcknowledgements) + values(of: .directiveTrackerReplies)
    return values.compactMap { value in
      switch value.value {
      case .reply(let user, let note): return (user, note, value)
      case .trackerReply(let nonce, let note):
        let row = RowID(tracker: nonce, of: value.author, operation: operation)
        return (UserID(raw: row.raw), note, value)
      default: return nil
      }
    }
  }
}
