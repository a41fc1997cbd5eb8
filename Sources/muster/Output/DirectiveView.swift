internal import MusterModel

/// Text output about orders.
enum DirectiveView {
  static func table(of directives: [DirectiveSummary], now: Timestamp) -> Table {
    var table = Table(
      ["ID", "ORDER", "FOR", "ANSWERED", "DUE", "STATUS", "TEXT", "FROM"],
      optional: ["TEXT", "FROM"])
    for directive in directives {
      table.add([
        .init(directive.id.short), .init(directive.words, .strong), .init(directive.addressees),
        .init("\(directive.answered)/\(directive.expected.count)"), directive.dueCell(now: now),
        .init(directive.supersededBy.map { "replaced by \($0.short)" } ?? directive.status.name),
        .init(directive.text, .faint),
        .init(directive.callsign),
      ])
    }
    return table
  }

  static func page(
    of directive: DirectiveSummary, now: Timestamp, _ times: LocalTime, on screen: Screen
  ) -> String {
    let unaccounted = directive.unaccounted
    var page = Page()
    page.add("\(directive.words), for \(directive.addressees)", .strong)
    page.add(
      "from \(directive.callsign) at \(times.text(directive.createdAt)), "
        + directive.status.name)
    if let deadline = directive.deadline?.time {
      let due = directive.dueCell(now: now)
      page.add("due \(times.text(deadline)): \(due.text)", due.paint)
    }
    if !directive.supersedes.isEmpty {
      page.add("replaces " + directive.supersedes.map(\.short).joined(separator: ", "))
    }
    if let successor = directive.supersededBy { page.add("replaced by \(successor.short)") }
    if !directive.text.isEmpty { page.add(paragraphs: directive.text) }
    page.add("")
    guard !directive.people.isEmpty else {
      page.add("No known person is addressed.")
      return page.text(on: screen)
    }
    if unaccounted.isEmpty {
      page.add("Everyone is accounted for.", .good)
    } else {
      page.add("\(unaccounted.count) unaccounted for:", .bad)
    }
    if !directive.lateArrivals.isEmpty {
      let count = ValueText.count(directive.lateArrivals.count, "late arrival", "late arrivals")
      page.add("\(count), not counted")
    }
    var table = Table(
      ["CALLSIGN", "ANSWER", "REASON", "DIRECTION", "LAST FIX", "ANSWERED"],
      optional: ["ANSWERED", "DIRECTION"])
    for person in directive.people {
      table.add([
        .init(person.callsign, .strong), person.state.cell, .init(person.reason),
        .init(person.direction?.phrase.text ?? ""),
        .init(person.fixAgeSeconds.map { "\(ValueText.age($0)) ago" } ?? "never"),
        .init(person.answeredAt.map(times.text) ?? ""),
      ])
    }
    return page.text(on: screen) + "\n" + table.text(on: screen)
  }
}

extension Respondent.State {
  /// A sign and the word: colour is never the only difference.
  var cell: Table.Cell {
    switch self {
    case .acknowledged: Table.Cell("✔ acknowledged", .good)
    case .present: Table.Cell("✔ present", .good)
    case .unaccounted: Table.Cell("✖ unaccounted", .bad)
    case .late: Table.Cell("· late arrival", .faint)
    case .signedOff: Table.Cell("· signed off", .faint)
    }
  }
}

extension DirectiveSummary {
  /// The kind of order, and the zones to go to.
  var words: String {
    guard !zones.isEmpty else { return kind.name }
    let names = zones.map { $0.name.isEmpty ? "zone \($0.id.short)" : $0.name }
    return "\(kind.name) to \(names.joined(separator: " or "))"
  }

  /// The time until the deadline, or since it.
  func dueCell(now: Timestamp) -> Table.Cell {
    guard let deadline = deadline?.time, status == .open else { return Table.Cell("") }
    guard now > deadline else {
      return Table.Cell("in \(ValueText.age(deadline.milliseconds(since: now) / 1000))", .doubtful)
    }
    let late = ValueText.age(now.milliseconds(since: deadline) / 1000)
    return unaccounted.isEmpty
      ? Table.Cell("\(late) ago") : Table.Cell("overdue \(late)", .bad)
  }
}

extension AlertPriority {
  /// A sign and the word: colour is never the only difference.
  var cell: Table.Cell {
    switch self {
    case .life: Table.Cell("✖ MAYDAY", .bad)
    case .danger: Table.Cell("✖ danger", .bad)
    case .warning: Table.Cell("! warning", .doubtful)
    case .message: Table.Cell("· message")
    }
  }
}
