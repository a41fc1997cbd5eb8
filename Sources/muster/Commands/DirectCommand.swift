internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct DirectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "direct",
    abstract: "Directives: what command asks of people, and who has answered.",
    discussion: """
      Example:  muster direct evacuate --to 3f9a --text "By the north road"
                muster direct rollcall --deadline 10m
                muster direct show 81c2

      Only a device of role command directs. Without --role, --team or --user it is for everyone: \
      command and members. Whoever it is for answers by `muster ack ID`.
      """,
    subcommands: [
      Evacuate.self, Rollcall.self, Locate.self, Message.self, List.self, Show.self, Close.self,
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

    func order(_ kind: DirectiveKind, text: String, fence: String? = nil) -> DirectiveOrder {
      DirectiveOrder(
        kind: kind, text: text, role: role?.value, team: team, users: user, fence: fence,
        deadlineSeconds: deadline?.seconds)
    }
  }

  struct Evacuate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tells people to leave, and prints the directive's id.",
      discussion: "Example:  muster direct evacuate --to 3f9a --team North --deadline 30m")

    @Option(
      help: ArgumentHelp("The fence to go to.", valueName: "fence"),
      transform: RowArgument.init(parsing:))
    var to: RowArgument?

    @Option(help: ArgumentHelp("What else they should know.", valueName: "text"))
    var text = ""

    @OptionGroup var aim: Aim
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(text, .paragraphs, "text") }

    func run() async throws {
      let order = aim.order(.evacuate, text: text, fence: to?.prefix)
      try await DirectCommand.give(order, home, output)
    }
  }

  struct Rollcall: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Calls the roll (PAR), and prints the directive's id.",
      discussion: """
        Example:  muster direct rollcall --deadline 10m

        Who is seen inside a muster zone since then is accounted for without an answer.
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
      let order = DirectiveOrder(
        kind: .locate, text: "", role: nil, team: nil, users: person, fence: nil,
        deadlineSeconds: nil)
      try await DirectCommand.give(order, home, output)
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
    try Standard.print(output.json ? JSON.object(["id": .id(id)]).text : "\(id)")
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
    abstract: "Acknowledges a directive.",
    discussion: """
      Example:  muster ack 81c2 --note "Two of us, both well"
                muster ack 81c2 --for Ben --note "by radio"

      For somebody else, such as one who answered by radio, only command may.
      """)

  @Argument(help: "The directive.", transform: RowArgument.init(parsing:))
  var id: RowArgument

  @Option(help: ArgumentHelp("What command should know.", valueName: "text"))
  var note = ""

  @Option(name: .customLong("for"), help: ArgumentHelp("On whose behalf.", valueName: "callsign"))
  var person: String?

  @OptionGroup var home: HomeOptions

  func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

  func run() async throws {
    let command = Command.acknowledge(id.prefix, note: note, user: person)
    let whose = person.map { " for \(SafeText.line($0))" } ?? ""
    try await Door.open(home).send(command, "Acknowledged\(whose)")
  }
}
