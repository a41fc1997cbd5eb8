internal import MusterModel
internal import MusterNode

/// What users name on the command line: by its name or the first digits of its id.
struct ItemResolver<Item> {
  /// Of one item, in lower case: `zone`.
  let noun: String
  let plural: String
  /// The command that lists them all.
  let list: String
  let id: (Item) -> String
  let name: (Item) -> String
  /// Whether other users choose the names: those that look alike are then one name.
  var comparesLikeness = false

  /// How a name that is not whole is treated.
  enum Match {
    /// The beginning of a name is enough.
    case beginning
    /// Only the whole name counts: for commands that delete or revoke.
    case whole
  }

  /// Returns the one item that is meant. A whole name goes before a name in another case, then an
  /// id, then the beginning of a name.
  ///
  /// - Throws: `Refusal` if no item fits or several do. It lists the candidates, or suggests one.
  func item(
    named text: String, in items: [Item], match: Match = .beginning
  ) throws(Refusal) -> Item {
    if comparesLikeness, let item = try alike(text, in: items) { return item }
    let folded = text.lowercased()
    let rules: [(Item) -> Bool] = [
      { name($0) == text },
      { name($0).lowercased() == folded },
      { item in IdentifierPrefix(text).map { id(item).hasPrefix($0.digits) } ?? false },
      { match == .beginning && folded.count >= 3 && name($0).lowercased().hasPrefix(folded) },
    ]
    for rule in rules {
      let found = items.filter(rule)
      if found.count == 1 { return found[0] }
      if found.count > 1 { throw ambiguous(text, found) }
    }
    throw unknown(text, items)
  }

  /// Returns the item with a whole id, or as a name is shown that several have, `Anna (3f9a1c20)`.
  /// Nil if the other rules decide. Throws if several are meant, or only one that looks like it.
  private func alike(_ text: String, in items: [Item]) throws(Refusal) -> Item? {
    if let whole = items.first(where: { id($0) == text.lowercased() }) { return whole }
    let (digits, likeness) = (IdentifierPrefix(text)?.digits, NameLikeness(text))
    func isBegun(_ item: Item) -> Bool { digits.map { id(item).hasPrefix($0) } ?? false }
    func isNamed(_ item: Item) -> Bool { NameLikeness(name(item)).isLike(likeness) }
    func isShown(_ item: Item) -> Bool { "\(name(item)) (\(short(item)))" == text }
    let found = items.filter { isNamed($0) || isBegun($0) || isShown($0) }
    if found.count > 1 { throw ambiguous(text, found) }
    guard let only = found.first else { return nil }
    guard isBegun(only) || isShown(only) || NameLikeness.isSame(name(only), text) else {
      throw Refusal("\(name(only)) only looks like '\(text)': give the id, \(short(only))")
    }
    return only
  }

  /// The same among the items that are preferred, if one of them is called so, else among all.
  func item(
    named text: String, in items: [Item], preferring isPreferred: (Item) -> Bool
  ) throws(Refusal) -> Item {
    let preferred = items.filter(isPreferred)
    let isCalled = preferred.contains { name($0).lowercased() == text.lowercased() }
    return try item(named: text, in: isCalled ? preferred : items, match: .whole)
  }

  /// The ids of items that are each named in whole.
  func ids(named texts: [String], in items: [Item]) throws(Refusal) -> [String] {
    var ids: [String] = []
    for text in texts { ids.append(id(try item(named: text, in: items, match: .whole))) }
    return ids
  }

  private func ambiguous(_ text: String, _ found: [Item]) -> Refusal {
    let shown = found.prefix(6).map { item in
      name(item) == text ? short(item) : "\(short(item)) (\(name(item)))"
    }
    let rest = found.count > shown.count ? ", …" : ""
    return Refusal(
      "\(found.count) \(plural) match '\(text)': give the id, "
        + shown.joined(separator: ", ") + rest)
  }

  private func unknown(_ text: String, _ items: [Item]) -> Refusal {
    if let near = Suggestion.nearest(to: text, in: items.map(name)) {
      return Refusal("there is no \(noun) '\(text)': did you mean '\(near)'? See: \(list)")
    }
    return Refusal("there is no \(noun) '\(text)': see \(list)")
  }

  private func short(_ item: Item) -> String { String(id(item).prefix(8)) }
}

extension ItemResolver {
  /// - Parameter command: the command whose subcommand `list` lists them all.
  fileprivate init<ID: Identifier>(
    _ noun: String, _ plural: String, command: String, id: @escaping (Item) -> ID,
    name: @escaping (Item) -> String, comparesLikeness: Bool = false
  ) {
    self.init(
      noun: noun, plural: plural, list: "muster \(command) list", id: { "\(id($0))" }, name: name,
      comparesLikeness: comparesLikeness)
  }
}

extension ItemResolver<FenceSummary> {
  static var zones: Self { Self("zone", "zones", command: "zone", id: \.id, name: \.name) }
}

extension ItemResolver<ReportSummary> {
  static var reports: Self { Self("report", "reports", command: "report", id: \.id, name: \.title) }
}

extension ItemResolver<UserSummary> {
  static var people: Self {
    Self(
      "person", "people", command: "user", id: \.id, name: \.callsign, comparesLikeness: true)
  }
}

extension ItemResolver<DeviceSummary> {
  static var devices: Self {
    Self(
      "device", "devices", command: "device", id: \.id, name: \.callsign, comparesLikeness: true)
  }
}

extension ItemResolver<PermitSummary> {
  /// By zone, which is enough for the only permit of a zone.
  static var permits: Self {
    Self("permit", "permits", command: "permit", id: \.id, name: \.zoneName)
  }
}

extension ItemResolver<DirectiveSummary> {
  static var directives: Self {
    Self("order", "orders", command: "order", id: \.id, name: \.words)
  }
}

extension ItemResolver<Alert> {
  /// By kind, which is enough for the only alert of a kind.
  static var alerts: Self {
    Self("alert", "alerts", command: "alert", id: \.id.row, name: \.id.kind.name)
  }
}

extension ItemResolver<UnverifiedCallSummary> {
  static var unverifiedCalls: Self {
    Self("unverified call", "unverified calls", command: "call", id: \.id, name: \.name)
  }
}

extension ItemResolver<EmergencyContact> {
  static var contacts: Self {
    Self("emergency contact", "emergency contacts", command: "contact", id: \.id, name: \.name)
  }
}

extension ItemResolver<RosterPerson> {
  static var roster: Self {
    Self(
      "person on the roster", "people on the roster", command: "roster", id: \.id,
      name: \.entry.name)
  }
}

extension NodeConnection {
  /// Whether the text is a whole id, which the node looks up at once.
  private static func isWholeID(_ text: String) -> Bool {
    text.utf8.count == 32 && IdentifierPrefix(text) != nil
  }

  func zone(
    named text: String, match: ItemResolver<FenceSummary>.Match = .beginning
  ) async throws -> FenceSummary {
    let command: Command = Self.isWholeID(text) ? .fence(text) : .fences
    guard case .fences(let zones) = try await ask(command) else { throw Refusal.unexpectedReply }
    return try ItemResolver.zones.item(named: text, in: zones, match: match)
  }

  func report(
    named text: String, match: ItemResolver<ReportSummary>.Match = .beginning
  ) async throws -> ReportSummary {
    let command: Command = Self.isWholeID(text) ? .report(text) : .reports
    guard case .reports(let all) = try await ask(command) else { throw Refusal.unexpectedReply }
    return try ItemResolver.reports.item(named: text, in: all, match: match)
  }

  /// An open directive goes before those that are closed or replaced.
  func directive(named text: String) async throws -> DirectiveSummary {
    let command: Command = Self.isWholeID(text) ? .directive(text) : .directives
    guard case .directives(let all) = try await ask(command) else {
      throw Refusal.unexpectedReply
    }
    let open = all.filter { $0.status == .open && $0.supersededBy == nil }
    let isOpen = IdentifierPrefix(text) == nil && open.contains { $0.isCalled(text) }
    return try ItemResolver.directives.item(named: text, in: isOpen ? open : all)
  }

  /// The id of an alert. One with a kind in front, as in `help:3f9a`, is for the node to find.
  func alert(named text: String) async throws -> String {
    if text.contains(":") { return text }
    guard case .alerts(let alerts) = try await ask(.alerts) else { throw Refusal.unexpectedReply }
    return "\(try ItemResolver.alerts.item(named: text, in: alerts).id)"
  }

  /// Devices that are not revoked go before revoked ones.
  func device(named text: String) async throws -> DeviceSummary {
    guard case .devices(let all) = try await ask(.devices) else { throw Refusal.unexpectedReply }
    return try ItemResolver.devices.item(named: text, in: all) { !$0.isRevoked }
  }

  /// A permit that is not revoked goes before those that are.
  func permit(named text: String) async throws -> PermitSummary {
    guard case .permits(let all) = try await ask(.permits) else { throw Refusal.unexpectedReply }
    return try ItemResolver.permits.item(named: text, in: all) { !$0.isRevoked }
  }

  func contact(
    named text: String, match: ItemResolver<EmergencyContact>.Match = .beginning
  ) async throws -> EmergencyContact {
    guard case .contacts(let all) = try await ask(.contacts) else { throw Refusal.unexpectedReply }
    return try ItemResolver.contacts.item(
      named: text, in: all.map(\.contact), match: match)
  }

  /// The id of a person or tracker.
  func person(named text: String) async throws -> String {
    try await people(named: [text])[0]
  }

  /// The same where a person may be named.
  func person(named text: String?) async throws -> String? {
    guard let text else { return nil }
    return try await person(named: text) as String
  }

  func people(named texts: [String]) async throws -> [String] {
    guard !texts.isEmpty else { return [] }
    guard case .users(let people) = try await ask(.users) else { throw Refusal.unexpectedReply }
    return try ItemResolver.people.ids(named: texts, in: people)
  }

  func zones(named texts: [String]) async throws -> [String] {
    guard !texts.isEmpty else { return [] }
    guard case .fences(let zones) = try await ask(.fences) else { throw Refusal.unexpectedReply }
    return try ItemResolver.zones.ids(named: texts, in: zones)
  }
}

extension DirectiveSummary {
  fileprivate func isCalled(_ text: String) -> Bool {
    words.lowercased().hasPrefix(text.lowercased())
  }
}
