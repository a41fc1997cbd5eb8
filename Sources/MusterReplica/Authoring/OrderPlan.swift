internal import MusterCRDT
internal import MusterModel

/// A validated new directive: its current audience, its deadline, and the directives that it
/// supersedes.
struct OrderPlan {
  private let draft: DirectiveDraft
  private let durationSeconds: UInt32?
  /// The people that a roll call addresses now, unless it names them.
  private let expected: [UserID]
  private let replaced: [RowID]

  /// - Parameters:
  ///   - zones: the existing rows of the zones that the draft names.
  ///   - people: all people who are known here.
  ///   - directives: all directives that are known here.
  init(
    _ draft: DirectiveDraft, by author: UserID, zones: [RowState], people: [UserSummary],
    directives: [RowState]
  ) throws(Refusal) {
    if draft.kind == .message, !draft.text.contains(where: { !$0.isWhitespace }) {
      throw Refusal("a message needs a text: write one")
    }
    try Self.check(zones, of: draft)
    if let seconds = draft.durationSeconds, !(1...Limits.spanSeconds).contains(seconds) {
      throw Refusal.deadlineOutOfRange
    }
    let audience = Audience(draft.addressees)
    var addressed = Set(
      people.filter { person in
        audience.includes(person, of: draft.kind, by: author)
          // No list names an id that may be invented, unless a user does.
          && !person.isUnknown
          // A person who left the operation, and is not in danger, is called by name only.
          && (draft.kind != .rollcall || !person.has(.signedOff)
            || person.conditions.contains { $0.severity == .danger })
      }.map(\.id))
    // Nothing of a named person may have arrived here yet.
    var isByName = false
    if case .users(let users) = draft.addressees {
      guard !users.isEmpty else { throw Self.emptyAudience(of: draft) }
      isByName = true
      addressed.formUnion(users)
    }
    guard !addressed.isEmpty else { throw Self.emptyAudience(of: draft) }
    self.draft = draft
    durationSeconds = draft.durationSeconds ?? draft.kind.usualDurationSeconds
    expected = draft.kind == .rollcall && !isByName ? addressed.sorted() : []
    replaced =
      draft.kind.isOrder ? Self.open(for: audience, like: draft.kind, among: directives) : []
  }

  private static func check(_ zones: [RowState], of draft: DirectiveDraft) throws(Refusal) {
    guard draft.zones.isEmpty || draft.kind.includesTrackers else {
      throw Refusal("an order of kind \(draft.kind.name) sends no one to a zone: name none")
    }
    guard draft.zones.count <= Limits.zonesPerDirective else {
      throw Refusal("name at most \(Limits.zonesPerDirective) zones")
    }
    for zone in zones {
      let (name, id) = (zone.text(.fenceName) ?? "unnamed", zone.key.id.short)
      if zone.fenceKind == .hazard {
        throw Refusal(
          "zone \(name) (\(id)) is a hazard zone: name an assembly zone instead"
        )
      }
      if !zone.isActiveFence {
        throw Refusal("zone \(name) (\(id)) is not active: activate it first, or name another zone")
      }
    }
  }

  private static func emptyAudience(of draft: DirectiveDraft) -> Refusal {
    switch draft.addressees {
    case .everyone:
      Refusal("no other person is known here yet: invite people, or wait for their laptops")
    case .role(let role):
      Refusal("no one of role \(role.name) is known here: choose another audience")
    case .team(let team): Refusal("no one is in team \(team): choose another team, or name people")
    case .users: Refusal("an order needs an audience: name at least one person")
    }
  }

  /// Returns the open orders for the same audience that a new one supersedes: those to a zone, or
  /// the roll calls.
  private static func open(
    for audience: Audience, like kind: DirectiveKind, among directives: [RowState]
  ) -> [RowID] {
    let standing = directives.filter {
      $0.exists && $0.isOpenDirective && $0.directiveKind.isReplaced(by: kind)
        && Audience(of: $0) == audience
    }
    let superseded = directives.superseded
    let newest = standing.filter { superseded[$0.key.id] == nil }.sorted {
      let (left, right) = ($0.createdAt?.milliseconds ?? 0, $1.createdAt?.milliseconds ?? 0)
      return (left, $0.key.id) > (right, $1.key.id)
    }
    return newest.prefix(Limits.supersededDirectives).map(\.key.id)
  }

  /// Writes the fields of the new row.
  func write(to composer: inout Composer) {
    composer.assertExistence()
    composer.set(.directiveKind, to: .code(draft.kind.rawValue))
    composer.set(.directiveText, to: draft.text.isEmpty ? nil : .text(draft.text))
    composer.set(.directiveDurationSeconds, to: durationSeconds.map(Value.number))
    composer.set(.directiveStatus, to: .code(DirectiveStatus.open.rawValue))
    for zone in Set(draft.zones).sorted() { composer.insert(.directiveZones, .reference(zone)) }
    for order in replaced { composer.insert(.directiveSupersedes, .reference(order)) }
    switch draft.addressees {
    case .everyone: break
    case .role(let role): composer.set(.directiveRole, to: .code(role.rawValue))
    case .team(let team): composer.set(.directiveTeam, to: .text(team))
    case .users(let users):
      for user in Set(users).sorted() {
        composer.insert(.directiveUsers, .reference(RowID(raw: user.raw)))
      }
    }
    for user in expected {
      composer.insert(.directiveExpected, .reference(RowID(raw: user.raw)))
    }
  }
}

extension Refusal {
  /// Also for the node, which parses deadlines of any size.
  static var deadlineOutOfRange: Refusal {
    Refusal("the deadline must be between 1 second and 7 days from now, such as 15m")
  }
}

extension [RowState] {
  /// Returns the superseded directives, each with the greatest id that supersedes it.
  var superseded: [RowID: RowID] {
    var superseded: [RowID: RowID] = [:]
    let kinds = Dictionary(
      map { ($0.key.id, $0.directiveKind) }, uniquingKeysWith: { first, _ in first })
    for row in self where row.exists {
      for older in row.supersededDirectives
      where kinds[older]?.isReplaced(by: row.directiveKind) != false {
        superseded[older] = Swift.max(superseded[older] ?? row.key.id, row.key.id)
      }
    }
    return superseded
  }
}
