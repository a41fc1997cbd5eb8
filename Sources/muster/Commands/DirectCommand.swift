internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct DirectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Issue orders, and see who has answered.",
    discussion: """
      Example:  muster order muster --zone School --deadline 15m
                muster order rollcall --deadline 10m
                muster order show rollcall

      Only devices of role command can issue orders. Without --role, --team or --user, an order \
      is for everyone of role command or member. Recipients answer with `muster ack`.
      """,
    subcommands: [
      Evacuate.self, Muster.self, Rollcall.self, Locate.self, Message.self, List.self, Show.self,
      Close.self,
    ],
    aliases: ["direct"])

  /// The audience of an order, and its deadline.
  struct AudienceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Address only people of this role."))
    var role: NameArgument<Role>?

    @Option(help: ArgumentHelp("Address only this team.", valueName: "team"), completion: .teams)
    var team: String?

    @Option(
      help: ArgumentHelp("Address only this person. May be repeated.", valueName: "callsign"),
      completion: .people)
    var user: [String] = []

    @Option(
      help: ArgumentHelp("The time until it is overdue.", valueName: "10m"),
      transform: DurationArgument.init(parsing:))
    var deadline: DurationArgument?

    func validate() throws {
      try TextArgument.check(team, .line, "team")
      let ways = (role == nil ? 0 : 1) + (team == nil ? 0 : 1) + (user.isEmpty ? 0 : 1)
      guard ways <= 1 else { throw ValidationError("give only one of --role, --team and --user") }
    }

    var isEmpty: Bool { role == nil && team == nil && user.isEmpty && deadline == nil }

    func order(_ kind: DirectiveKind, text: String, zones: [String] = []) -> DirectiveOrder {
      DirectiveOrder(
        kind: kind, text: text, role: role?.value, team: team, users: user, zones: zones,
        deadlineSeconds: deadline?.seconds)
    }
  }

  /// Where an order sends people.
  struct Destination: ParsableArguments {
    @Option(
      help: ArgumentHelp("A zone to go to. May be repeated.", valueName: "name or id"),
      completion: .zones)
    var zone: [String] = []

    @Option(help: ArgumentHelp("The old name of --zone.", visibility: .hidden))
    var to: [String] = []

    var zones: [String] { zone + to }
  }

  /// The free text of an order.
  struct NoteOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Additional instructions.", valueName: "text"))
    var text = ""

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }
  }

  struct Evacuate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Order people to leave the area.",
      discussion: """
        Example:  muster order evacuate --zone School --team North --deadline 30m

        Without --zone, any active assembly zone counts. Without --deadline, the order is due in \
        15 minutes. It replaces the open orders of the same audience. Prints the id.
        """)

    @OptionGroup var destination: Destination
    @OptionGroup var remark: NoteOptions
    @OptionGroup var aim: AudienceOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await DirectCommand.give(
        aim.order(.evacuate, text: remark.text, zones: destination.zones), home, output, wait: wait)
    }
  }

  struct Muster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Order people to an assembly zone.",
      discussion: """
        Example:  muster order muster --zone School --zone Church --deadline 15m

        Without --zone, any active assembly zone counts. Without --deadline, the order is due in \
        15 minutes. It replaces the open orders of the same audience. Prints the id.
        """)

    @OptionGroup var destination: Destination
    @OptionGroup var remark: NoteOptions
    @OptionGroup var aim: AudienceOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await DirectCommand.give(
        aim.order(.muster, text: remark.text, zones: destination.zones), home, output, wait: wait)
    }
  }

  struct Rollcall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Call the roll (PAR).",
      discussion: """
        Example:  muster order rollcall --deadline 10m

        Everyone who is known now must answer. People who appear later are listed as late \
        arrivals. Only an answer counts. It replaces the open roll call of the same audience. \
        Prints the id.
        """)

    @OptionGroup var remark: NoteOptions
    @OptionGroup var aim: AudienceOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await DirectCommand.give(
        aim.order(.rollcall, text: remark.text), home, output, wait: wait)
    }
  }

  struct Locate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Request the current position of people.",
      discussion: """
        Example:  muster order locate Ben

        Their laptops sample at the highest rate and publish the next position at once.
        """)

    @Argument(
      help: ArgumentHelp("The people, by callsign or id.", valueName: "person"), completion: .people
    )
    var person: [String]

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await DirectCommand.give(
        DirectiveOrder(kind: .locate, users: person), home, output, wait: wait)
    }
  }

  struct Message: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a message, and see who has acknowledged it.",
      discussion: "Example:  muster order message \"Water at the school\" --team North")

    @Argument(help: "The text of the message.")
    var text: String

    @OptionGroup var aim: AudienceOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }

    func run() async throws {
      try await DirectCommand.give(aim.order(.message, text: text), home, output, wait: wait)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all orders, open ones first.",
      discussion: "Example:  muster order list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let directives = try await DirectCommand.directives(.directives, home)
      let now = Timestamp.now
      if output.json {
        return try Standard.print(JSON.array(directives.map { $0.json(now: now) }).text)
      }
      guard !directives.isEmpty else { return try Standard.print("No orders.") }
      let table = DirectiveView.table(of: directives, now: now)
      try Standard.print(table.text(on: .current))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show who answered an order, and who did not.",
      discussion: """
        Example:  muster order show rollcall
                  muster order show 81c2
        """)

    @Argument(
      help: ArgumentHelp(
        "The order: its id, or its kind if only one is open.", valueName: "order"),
      completion: .orders)
    var directive: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let directive = try await NodeConnection.open(home).directive(named: directive)
      let now = Timestamp.now
      try Standard.print(
        output.json
          ? directive.json(now: now).text
          : DirectiveView.page(of: directive, now: now, times.format, on: .current))
    }
  }

  struct Close: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Close an order: no further answers are expected.",
      discussion: "Example:  muster order close rollcall")

    @Argument(
      help: ArgumentHelp(
        "The order: its id, or its kind if only one is open.", valueName: "order"),
      completion: .orders)
    var directive: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let id = try await connection.directive(named: directive).id
      try await connection.send(.closeDirective("\(id)"), "Order closed", wait: wait.seconds)
    }
  }

  fileprivate static func give(
    _ order: DirectiveOrder, _ home: HomeOptions, _ output: OutputOptions, wait: WaitOptions
  ) async throws {
    let connection = try await NodeConnection.open(home)
    let order = try await named(order, by: connection)
    try await connection.create(.direct(order), output: output, wait: wait.seconds) { id in
      await issued(id, by: connection)
    }
  }

  /// The order with ids in place of names.
  static func named(_ order: DirectiveOrder, by connection: NodeConnection) async throws
    -> DirectiveOrder
  {
    var order = order
    order.users = try await connection.people(named: order.users)
    order.zones = try await connection.zones(named: order.zones)
    return order
  }

  /// The order in one line for standard error, since standard output has the id alone.
  static func issued(_ id: RowID, by connection: NodeConnection) async -> String {
    // It is saved, whatever became of the node since.
    let unknown = "Order \(id.short)"
    let reply: Reply
    do { reply = try await connection.ask(.directive("\(id)")) } catch { return unknown }
    guard case .directives(let found) = reply, let directive = found.first else { return unknown }
    var words = "\(directive.words) for \(SafeText.line(directive.addressees))"
    words += " · \(ValueText.count(directive.expected.count, "person", "people"))"
    if let seconds = directive.deadline?.durationSeconds {
      words += " · due in \(ValueText.age(Int64(seconds)))"
    }
    if !directive.supersedes.isEmpty {
      words += " · replaces " + directive.supersedes.map(\.short).joined(separator: ", ")
    }
    return words
  }

  fileprivate static func directives(
    _ command: Command, _ home: HomeOptions
  ) async throws -> [DirectiveSummary] {
    guard case .directives(let directives) = try await NodeConnection.open(home).ask(command) else {
      throw Refusal.unexpectedReply
    }
    return directives
  }
}

struct AckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack",
    abstract: "Answer an order, or withdraw an answer.",
    discussion: """
      Example:  muster ack --note "Two of us, both well"
                muster ack rollcall --for Ben --note "by radio"
                muster ack 81c2 --for Ben --undo

      Without an order, it answers the newest roll call that waits for you, else the only such \
      order, and prints what stays open. The owner of a tracker answers for the person who \
      carries it. Only command can answer for anyone else, for example by radio.
      """)

  @Argument(
    help: ArgumentHelp("The order, by id or kind.", valueName: "order"), completion: .orders)
  var id: String?

  @Option(help: ArgumentHelp("A note for command.", valueName: "text"))
  var note = ""

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Answer on behalf of this person.", valueName: "callsign"),
    completion: .people)
  var person: String?

  @Flag(help: "Withdraw the answer.")
  var undo = false

  @OptionGroup var wait: WaitOptions
  @OptionGroup(title: "Node") var home: HomeOptions

  func validate() throws {
    try TextArgument.check(note, .paragraphs, "note")
    guard !undo || note.isEmpty else { throw ValidationError("--undo takes no --note") }
  }

  func run() async throws {
    let whose = person.map { " for \(SafeText.line($0))" } ?? ""
    let connection = try await NodeConnection.open(home)
    let user = try await connection.person(named: person)
    var directive: String?
    if let id { directive = "\(try await connection.directive(named: id).id)" }
    let command: Command =
      undo
      ? .withdrawAcknowledgement(directive, user: user)
      : .acknowledge(directive, note: note, user: user)
    var answered: RowID?
    try await connection.send(command, wait: wait.seconds) { reply in
      guard case .answered(let id, let kind) = reply else { throw Refusal.unexpectedReply }
      answered = id
      return undo
        ? "Answer\(whose) to \(kind.label) \(id.short) withdrawn"
        : "Acknowledged \(kind.label) \(id.short)\(whose)"
    }
    guard !undo else { return }
    let waiting = await Self.waiting(for: user, by: connection)
    // An order to go somewhere is done there, and not with the answer.
    if waiting.contains(where: { $0.id == answered }) {
      try Standard.print("Done once a position in the zone is received: muster position --help")
    }
    let rest = waiting.filter { $0.id != answered }.map { "\($0.words) (\($0.id.short))" }
    guard !rest.isEmpty else { return }
    let text = "Still open\(whose): \(rest.joined(separator: ", "))"
    try Standard.print(Standard.wrapped(text, to: Screen.current.columns))
  }

  /// The open orders that wait for a person.
  private static func waiting(
    for user: String?, by connection: NodeConnection
  ) async -> [DirectiveSummary] {
    do {
      guard case .devices(let devices) = try await connection.ask(.devices),
        case .directives(let directives) = try await connection.ask(.directives),
        let own = devices.first(where: \.isThisDevice)?.user
      else { return [] }
      let person = user ?? "\(own)"
      return directives.filter { directive in
        directive.status == .open
          && directive.people.contains { "\($0.user)" == person && $0.state == .unaccounted }
      }
    } catch {
      // The answer is saved, whatever became of the node since.
      return []
    }
  }
}
