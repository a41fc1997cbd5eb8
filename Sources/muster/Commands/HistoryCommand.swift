public import ArgumentParser
internal import MusterInterchange
public import MusterModel
internal import MusterNode

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show where everybody was, or the events of a time.",
    discussion: """
      Example:  muster history --at 14:05
                muster history --at 14:05 --view known
                muster history --from 13:00 --to 14:30

      --at shows where everybody was, and their status. The view "event" uses all that this node \
      knows today about that time; "known" shows what it knew then. --from lists changes of \
      status, entries and exits, reports, zones, orders and check-ins. Write a time as 14:05 (the \
      last one), in RFC 3339 format, or as 20m for 20 minutes ago. A node records while it runs, \
      and keeps two days.
      """)

  @Option(
    help: ArgumentHelp("The instant to show.", valueName: "time"),
    transform: PastArgument.init(parsing:))
  var at: PastArgument?

  @Option(help: ArgumentHelp("Which knowledge to use: event or known.", valueName: "view"))
  var view: HistoryView?

  @Option(
    help: ArgumentHelp("List events from this time on.", valueName: "time"),
    transform: PastArgument.init(parsing:))
  var from: PastArgument?

  @Option(
    help: ArgumentHelp("List events up to this time; now by default.", valueName: "time"),
    transform: PastArgument.init(parsing:))
  var to: PastArgument?

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var times: TimeOptions
  @OptionGroup var coordinates: CoordinateOptions

  func validate() throws {
    guard (at == nil) != (from == nil) else {
      throw ValidationError("give one of --at and --from")
    }
    guard to == nil || from != nil else { throw ValidationError("--to requires --from") }
    guard view == nil || at != nil else { throw ValidationError("--view requires --at") }
  }

  func run() async throws {
    let connection = try await NodeConnection.open(home)
    let now = Timestamp.now
    if let at {
      try await show(at.moment(before: now), connection)
    } else if let from {
      try await list(
        from: from.moment(before: now), to: to?.moment(before: now) ?? now, connection)
    }
  }

  private func show(_ instant: Timestamp, _ connection: NodeConnection) async throws {
    guard
      case .history(let picture) = try await connection.ask(.history(at: instant, view ?? .event))
    else { throw Refusal.unexpectedReply }
    if output.json { return try Standard.print(picture.json.text) }
    guard !picture.people.isEmpty else {
      guard let begins = picture.begins else {
        throw Refusal("no history yet: a node records while `muster run` runs")
      }
      throw Refusal(
        "no history of that time: it begins at \(times.format.text(begins)); give a later time")
    }
    let words = picture.view == .event ? "what is known now" : "what this node showed then"
    try Standard.print("\(times.format.text(instant)) · \(words)")
    if let gap = picture.gaps.first(where: { $0.from < instant && instant < $0.to }) {
      let ends = [gap.from, gap.to].map(times.format.text).joined(separator: " to ")
      try Standard.print("This node did not record from \(ends).")
    }
    var table = Table(
      ["CALLSIGN", "STATUS", "SINCE", "REASON", "TEAM", "LAST FIX", "FIX TIME", "RECEIVED"],
      optional: ["TEAM", "FIX TIME", "RECEIVED"])
    for person in picture.people {
      let user = person.summary
      table.add([
        .init(user.callsign, .strong), user.statusCell,
        .init(person.since.map(times.format.text) ?? ""),
        .init(user.reasons), .init(user.team),
        .init(ValueText.fix(user.fix, as: coordinates.format)),
        .init(person.fixTime.map(times.format.text) ?? ""),
        .init(person.fixReceived.map(times.format.text) ?? ""),
      ])
    }
    try Standard.print(table.text(on: .current))
  }

  private func list(
    from: Timestamp, to: Timestamp, _ connection: NodeConnection
  ) async throws {
    guard from <= to else { throw Refusal("--from is after --to: swap them") }
    var events: [HistoryEvent] = []
    var next: HistoryCursor?
    repeat {
      let command = Command.timeline(
        from: from, to: to, after: next, limit: Limits.historyEventsPerPage,
        hidesDuress: false)
      guard case .timeline(let page) = try await connection.ask(command) else {
        throw Refusal.unexpectedReply
      }
      events += page.events
      next = page.next
    } while next != nil
    if output.json { return try Standard.print(JSON.array(events.map(\.json)).text) }
    guard !events.isEmpty else { return try Standard.print("No events in that time.") }
    var table = Table(["TIME", "EVENT", "CALLSIGN", "WHAT", "TEXT"])
    for event in events {
      table.add([
        .init(times.format.text(event.time)), .init(event.kind.label),
        .init(event.callsign, .strong), event.whatCell, .init(event.text),
      ])
    }
    try Standard.print(table.text(on: .current))
  }
}

extension HistoryView: ExpressibleByArgument {}

extension HistoryEventKind {
  fileprivate var label: String {
    switch self {
    case .checkIn: "check-in"
    case .crossing: "entry/exit"
    default: rawValue
    }
  }
}

extension HistoryEvent {
  /// What a person did with a check-in, beside `started`.
  private static let past = ["extend": "extended", "stop": "stopped"]

  /// The status, or what happened, in the paint of its severity.
  fileprivate var whatCell: Table.Cell {
    let label = PersonStatus(rawValue: what)?.label ?? Self.past[what] ?? what
    switch severity {
    case .danger: return Table.Cell(label, .bad)
    case .warning: return Table.Cell(label, .doubtful)
    case .safe: return Table.Cell(label, .good)
    case .neutral: return Table.Cell(label)
    }
  }
}
