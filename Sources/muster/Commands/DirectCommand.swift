internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct DirectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "direct",
    abstract: "Directives: what command asks of people, and who has answered.",
    discussion: """
      Example:  muster direct muster --zone School --deadline 15m
                muster direct evacuate --zone 3f9a --text "By the north road"
                muster direct rollcall --deadline 10m
                muster direct show 81c2

      Only a device of role command directs. Without --role, --team or --user it is for everyone: \
      command and members. Whoever it is for answers by `muster ack ID`.
      """,
    subcommands: [
      Evacuate.self, Muster.self, Rollcall.self, Locate.self, Message.self, List.self, Show.self,
      Close.self,
    ])

  /// Whom it is for, and by when.
  struct Aim: ParsableArguments {
    @Option(help: ArgumentHelp("Only those of this role."))
    var role: NameArgument<Role>?

    @Option(help: ArgumentHelp("Only those of this team.", valueName: "team"))
    var team: String?

    @Option(help: ArgumentHelp("Only this person; may be repeated.", valueName: "callsign"))
    var user: [String] = []

    @Option(
      help: ArgumentHelp("Until it is overdue.", valueName: "10m"),
      transform: DurationArgument.init(parsing:))
    var deadline: DurationArgument?

    func validate() throws {
      try TextArgument.check(team, .line, "team")
      let ways = (role == nil ? 0 : 1) + (team == nil ? 0 : 1) + (user.isEmpty ? 0 : 1)
      guard ways <= 1 else { throw ValidationError("give one of --role, --team and --user") }
    }

    var isEmpty: Bool { role == nil && team == nil && user.isEmpty && deadline == nil }

    func order(_ kind: DirectiveKind, text: String, zones: [String] = []) -> DirectiveOrder {
      DirectiveOrder(
        kind: kind, text: text, role: role?.value, team: team, users: user, zones: zones,
        deadlineSeconds: deadline?.seconds)
    }
  }

  struct Evacuate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Orders people to leave, and prints the directive's id.",
      discussion: """
        Example:  muster direct evacuate --zone School --team North --deadline 30m

        Without --zone any active assembly zone will do. It replaces the open orders of the same \
        audience. Without --deadline it is due in 15 minutes.
        """)

    @Option(help: ArgumentHelp("A zone to go to; may be repeated.", valueName: "name or id"))
    var zone: [String] = []

    @Option(help: ArgumentHelp("The old name of --zone.", visibility: .hidden))
    var to: [String] = []

    @Option(help: ArgumentHelp("What else they should know.", valueName: "text"))
    var text = ""

    @OptionGroup var aim: Aim
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }

    func run() async throws {
      try await DirectCommand.give(
        aim.order(.evacuate, text: text, zones: zone + to), home, output)
    }
  }

  struct Muster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Orders people to an assembly zone, and prints the directive's id.",
      discussion: """
        Example:  muster direct muster --zone School --zone Church --deadline 15m

        Without --zone any active assembly zone will do. It replaces the open orders of the same \
        audience. Without --deadline it is due in 15 minutes.
        """)

    @Option(help: ArgumentHelp("A zone to go to; may be repeated.", valueName: "name or id"))
    var zone: [String] = []

    @Option(help: ArgumentHelp("What else they should know.", valueName: "text"))
    var text = ""

    @OptionGroup var aim: Aim
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }

    func run() async throws {
      try await DirectCommand.give(aim.order(.muster, text: text, zones: zone), home, output)
    }
  }

  struct Rollcall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Calls the roll (PAR), and prints the directive's id.",
      discussion: """
        Example:  muster direct rollcall --deadline 10m

        It is for those who are known now: who is first heard of later is listed as a late \
        arrival. Who is seen inside an assembly zone since then needs no answer.
        """)

    @Option(help: ArgumentHelp("What else they should know.", valueName: "text"))
    var text = ""

    @OptionGroup var aim: Aim
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }

    func run() async throws {
      try await DirectCommand.give(aim.order(.rollcall, text: text), home, output)
    }
  }

  struct Locate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Asks a laptop where it is: it looks closely and tells at once.",
      discussion: "Example:  muster direct locate Ben")

    @Argument(help: "By callsign or id.")
    var person: [String]

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await DirectCommand.give(
        DirectiveOrder(kind: .locate, users: person), home, output)
    }
  }

  struct Message: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tells people something, and sees who has read it.",
      discussion: "Example:  muster direct message \"Water at the school\" --team North")

    @Argument(help: "What to tell them.")
    var text: String

    @OptionGroup var aim: Aim
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }

    func run() async throws {
      try await DirectCommand.give(aim.order(.message, text: text), home, output)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists all directives, open ones first.",
      discussion: "Example:  muster direct list")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let directives = try await DirectCommand.directives(.directives, home)
      let now = Timestamp.now
      if output.json {
        return try Standard.print(JSON.array(directives.map { $0.json(now: now) }).text)
      }
      guard !directives.isEmpty else { return try Standard.print("No directives.") }
      let table = DirectiveView.table(of: directives, now: now)
      try Standard.print(table.text(on: .current))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows one directive: who has answered, and who is unaccounted for.",
      discussion: "Example:  muster direct show 81c2")

    @Argument(help: "The directive.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let found = try await DirectCommand.directives(.directive(id.prefix), home).first
      guard let directive = found else { throw Refusal.unexpectedReply }
      let now = Timestamp.now
      try Standard.print(
        output.json
          ? directive.json(now: now).text
          : DirectiveView.page(of: directive, now: now, on: .current))
    }
  }

  struct Close: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Closes a directive: who has not answered need not any more.",
      discussion: "Example:  muster direct close 81c2")

    @Argument(help: "The directive.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions

    func run() async throws {
      try await Door.open(home).send(.closeDirective(id.prefix), "Directive closed")
    }
  }

  fileprivate static func give(
    _ order: DirectiveOrder, _ home: HomeOptions, _ output: OutputOptions
  ) async throws {
    let door = try await Door.open(home)
    guard case .created(let id) = try await door.change(.direct(order)) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(JSON.object(["id": .id(id)]).text) }
    try Standard.print("\(id)")
    try await tell(of: id, by: door)
  }

  /// What was issued, on standard error: standard output has the id alone, for scripts.
  static func tell(of id: RowID, by door: Door) async throws {
    guard case .directives(let found) = try await door.ask(.directive("\(id)")),
      let directive = found.first
    else { throw Refusal.unexpectedReply }
    var words = "\(directive.words) sent to \(SafeText.line(directive.addressees))"
    words += " · \(Words.count(directive.expected.count, "person", "people"))"
    if let seconds = directive.durationSeconds { words += " · due in \(Words.age(Int64(seconds)))" }
    if !directive.supersedes.isEmpty {
      words += " · replaces " + directive.supersedes.map(\.short).joined(separator: ", ")
    }
    Standard.complain(words)
  }

  fileprivate static func directives(
    _ command: Command, _ home: HomeOptions
  ) async throws -> [DirectiveSummary] {
    guard case .directives(let directives) = try await Door.open(home).ask(command) else {
      throw Refusal.unexpectedReply
    }
    return directives
  }
}

struct AckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack",
    abstract: "Acknowledges a directive, or takes an answer back.",
    discussion: """
      Example:  muster ack --note "Two of us, both well"
                muster ack 81c2 --for Ben --note "by radio"
                muster ack 81c2 --for Ben --undo

      Without an id it answers the one open directive that waits for you. For somebody else, such \
      as one who answered by radio, only command may.
      """)

  @Argument(
    help: "The directive; the one that waits for an answer where it is not given.",
    transform: RowArgument.init(parsing:))
  var id: RowArgument?

  @Option(help: ArgumentHelp("What command should know.", valueName: "text"))
  var note = ""

  @Option(name: .customLong("for"), help: ArgumentHelp("On whose behalf.", valueName: "callsign"))
  var person: String?

  @Flag(help: "Takes the answer back.")
  var undo = false

  @OptionGroup var home: HomeOptions

  func validate() throws {
    try TextArgument.check(note, .paragraphs, "note")
    guard !undo || note.isEmpty else { throw ValidationError("--undo takes no --note") }
  }

  func run() async throws {
    let whose = person.map { " for \(SafeText.line($0))" } ?? ""
    let command: Command =
      undo
      ? .withdrawAcknowledgement(id?.prefix, user: person)
      : .acknowledge(id?.prefix, note: note, user: person)
    try await Door.open(home).send(command) { reply in
      guard case .answered(let id, let kind) = reply else { throw Refusal.unexpectedReply }
      return undo
        ? "Answer\(whose) to \(kind.name) \(id.short) taken back"
        : "Acknowledged \(kind.name) \(id.short)\(whose)"
    }
  }
}
