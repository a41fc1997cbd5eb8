internal import MusterModel

/// Directives as people read them.
enum DirectiveView {
  static func table(of directives: [DirectiveSummary], now: Timestamp) -> Table {
    var table = Table(["ID", "WHAT", "FOR", "ANSWERED", "DUE", "STATUS", "FROM", "TEXT"])
    for directive in directives {
      table.add([
        .init(directive.id.short), .init(directive.words, .strong), .init(directive.addressees),
        .init("\(directive.answered) of \(directive.expected.count)"), directive.dueCell(now: now),
        .init(directive.supersededBy.map { "replaced by \($0.short)" } ?? directive.status.name),
        .init(directive.callsign),
        .init(directive.text, .faint),
      ])
    }
    return table
  }

  static func page(of directive: DirectiveSummary, now: Timestamp, on screen: Screen) -> String {
    let unaccounted = directive.unaccounted
    var lines = [
      Paint.strong.apply(
        "\(directive.words), for \(SafeText.line(directive.addressees))", on: screen),
      "from \(SafeText.line(directive.callsign)) at \(directive.createdAt), "
        + directive.status.name,
    ]
    if let deadline = directive.deadline {
      let due = directive.dueCell(now: now)
      lines.append("due \(deadline): \(due.paint.apply(due.text, on: screen))")
    }
    if !directive.supersedes.isEmpty {
      lines.append("replaces " + directive.supersedes.map(\.short).joined(separator: ", "))
    }
    if let successor = directive.supersededBy { lines.append("replaced by \(successor.short)") }
    if !directive.text.isEmpty { lines.append(SafeText.paragraphs(directive.text)) }
    lines.append("")
    guard !directive.people.isEmpty else {
      return (lines + ["It is for nobody who is known here."]).joined(separator: "\n")
    }
    lines.append(
      unaccounted.isEmpty
        ? Paint.good.apply("Everybody is accounted for.", on: screen)
        : Paint.bad.apply("\(unaccounted.count) unaccounted for:", on: screen))
    if !directive.lateArrivals.isEmpty {
      lines.append(
        "\(Words.count(directive.lateArrivals.count, "late arrival", "late arrivals")), not counted"
      )
    }
    var table = Table(["CALLSIGN", "ANSWER", "WHY", "WHERE", "LAST FIX", "ANSWERED"])
    for person in directive.people {
      table.add([
        .init(person.callsign, .strong), person.state.cell, .init(person.reason),
        .init(person.direction?.words ?? ""),
        .init(person.fixAgeSeconds.map { "\(Words.age($0)) ago" } ?? "never"),
        .init(person.answeredAt.map { "\($0)" } ?? ""),
      ])
    }
    lines.append(table.text(on: screen))
    return lines.joined(separator: "\n")
  }
}

extension Respondent.State {
  /// A sign and the word, so that nothing hangs on colour.
  var cell: Table.Cell {
    switch self {
    case .acknowledged: Table.Cell("✔ acknowledged", .good)
    case .present: Table.Cell("✔ present", .good)
    case .unaccounted: Table.Cell("✖ unaccounted", .bad)
    case .late: Table.Cell("· late arrival", .faint)
    }
  }
}

extension DirectiveSummary {
  /// What is asked, and where to go.
  var words: String {
    guard !zones.isEmpty else { return kind.name }
    let names = zones.map { $0.name.isEmpty ? "zone \($0.id.short)" : $0.name }
    return "\(kind.name) to \(names.joined(separator: " or "))"
  }

  /// How long there is left, or how long it is over.
  func dueCell(now: Timestamp) -> Table.Cell {
    guard let deadline, status == .open else { return Table.Cell("") }
    guard now > deadline else {
      return Table.Cell("in \(Words.age(deadline.milliseconds(since: now) / 1000))", .doubtful)
    }
    let late = Words.age(now.milliseconds(since: deadline) / 1000)
    return unaccounted.isEmpty
      ? Table.Cell("\(late) ago") : Table.Cell("overdue \(late)", .bad)
  }
}

extension AlertLevel {
  /// A sign and the word, so that nothing hangs on colour.
  var cell: Table.Cell {
    switch self {
    case .danger: Table.Cell("✖ danger", .bad)
    case .warning: Table.Cell("! warning", .doubtful)
    case .notice: Table.Cell("· notice")
    }
  }
}
