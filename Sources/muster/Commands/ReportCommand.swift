internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Hazard reports: adds, lists, changes and discusses them.",
    discussion: """
      Example:  muster report add --title "Gas smell" --severity 4 --at 47.3769,8.5417

      An ID is what `report list` shows; its first four digits or more will do.
      """,
    subcommands: [
      Add.self, List.self, Show.self, Edit.self, Delete.self, Confirm.self, Comment.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a report and prints its id.",
      discussion: """
        Example:  muster report add --title "Bridge down" --category access --at 47.3769,8.5417

        With --evacuate it overtakes everything else on the way to the others.
        """)

    @Option(help: ArgumentHelp("What it is, in a line.", valueName: "text"))
    var title: String

    @OptionGroup var details: ReportDetails

    @Flag(help: "People must leave this place.")
    var evacuate = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(title, .line, "title") }

    func run() async throws {
      let draft = ReportDraft(
        title: title, details: details.description, category: details.category?.value,
        severity: details.severity?.value, position: details.at?.coordinate, toEvacuate: evacuate)
      guard case .created(let id) = try await Door.open(home).change(.addReport(draft)) else {
        throw Refusal.unexpectedReply
      }
      try Standard.print(output.json ? JSON.object(["id": .id(id)]).text : "\(id)")
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Changes a report; what is not given stays.",
      discussion: """
        Example:  muster report edit 3f9a --severity 5 --evacuate
                  muster report edit 3f9a --status resolved
        """)

    @Argument(help: "The report.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @Option(help: ArgumentHelp("What it is, in a line.", valueName: "text"))
    var title: String?

    @OptionGroup var details: ReportDetails

    @Flag(
      inversion: .prefixedNo,
      help: "Whether people must leave this place.")
    var evacuate: Bool?

    @Option(help: "Whether the hazard is still there.")
    var status: NameArgument<ReportStatus>?

    @OptionGroup var home: HomeOptions

    private var changes: ReportChanges {
      ReportChanges(
        title: title, details: details.description, category: details.category?.value,
        severity: details.severity?.value, position: details.at?.coordinate, toEvacuate: evacuate,
        status: status?.value)
    }

    func validate() throws {
      try TextArgument.check(title, .line, "title")
      guard changes != ReportChanges() else {
        throw ValidationError("say what to change, such as --status resolved")
      }
    }

    func run() async throws {
      try await Door.open(home).send(.editReport(id.prefix, changes), "Report changed")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists all reports.",
      discussion: """
        Example:  muster report list --json | jq '.[] | select(.toEvacuate)'

        HELD BY counts the devices, this one among them, that have confirmed to this node since it \
        started that they hold all of the report; more may hold it. "command ✓": the command post \
        has said, signed, that it does.
        """)

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .reports(let reports) = try await Door.open(home).ask(.reports) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(reports.map(\.json)).text) }
      guard !reports.isEmpty else { return try Standard.print("No reports.") }
      try Standard.print(ReportView.table(of: reports).text(on: .current))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows one report with its comments, and where people disagree on it.",
      discussion: "Example:  muster report show 3f9a")

    @Argument(help: "The report.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let reply = try await Door.open(home).ask(.report(id.prefix))
      guard case .reports(let reports) = reply, let report = reports.first else {
        throw Refusal.unexpectedReply
      }
      try Standard.print(
        output.json ? report.json.text : ReportView.page(of: report, on: .current))
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a report away.",
      discussion: """
        Example:  muster report delete 3f9a

        A change that somebody else makes at the same time brings it back. A hazard that is over \
        is better marked so: muster report edit 3f9a --status resolved
        """)

    @Argument(help: "The report.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var home: HomeOptions

    func run() async throws {
      let door = try await Door.open(home)
      guard case .reports(let reports) = try await door.ask(.report(id.prefix)),
        let report = reports.first
      else { throw Refusal.unexpectedReply }
      try confirmation.confirm(
        "This deletes the report \(report.id.short) on every device", name: report.title)
      try await door.send(.deleteReport("\(report.id)"), "Report deleted")
    }
  }

  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says that you have seen it too.",
      discussion: "Example:  muster report confirm 3f9a")

    @Argument(help: "The report.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @OptionGroup var home: HomeOptions

    func run() async throws {
      try await Door.open(home).send(.confirmReport(id.prefix), "Report confirmed")
    }
  }

  struct Comment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a comment to a report.",
      discussion: "Example:  muster report comment 3f9a \"The smell is stronger now\"")

    @Argument(help: "The report.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @Argument(help: "What you have to say.")
    var text: String

    @OptionGroup var home: HomeOptions

    func validate() throws {
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError("the comment is empty")
      }
      try TextArgument.check(text, .paragraphs, "comment")
    }

    func run() async throws {
      try await Door.open(home).send(.commentReport(id.prefix, text: text), "Comment added")
    }
  }
}

/// What a report may say besides its title.
struct ReportDetails: ParsableArguments {
  @Option(help: ArgumentHelp("What more there is to say.", valueName: "text"))
  var description: String?

  @Option(help: "What kind of hazard it is.")
  var category: NameArgument<ReportCategory>?

  @Option(
    help: ArgumentHelp("From 1 (slight) to 5 (deadly).", valueName: "1-5"),
    transform: SeverityArgument.init(parsing:))
  var severity: SeverityArgument?

  @Option(
    help: ArgumentHelp("Where it is, in degrees.", valueName: "lat,lon"),
    transform: PlaceArgument.init(parsing:))
  var at: PlaceArgument?

  func validate() throws { try TextArgument.check(description, .paragraphs, "description") }
}
