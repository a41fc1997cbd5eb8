internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Manage hazard reports.",
    discussion: """
      Example:  muster report add --title "Gas smell" --severity 4 --at 47.38,8.54

      A report is named by its title, the beginning of its title, or the first four or more \
      digits of its id.
      """,
    subcommands: [
      Add.self, Import.self, List.self, Show.self, Edit.self, Delete.self, Confirm.self,
      Comment.self, ReportPhotoCommand.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a report.",
      discussion: """
        Example:  muster report add --title "Bridge down" --at 47.38,8.54
                  muster report add --title "Gas smell" --photo valve.jpg street.jpg

        With --evacuate, it is sent before all other data. Prints the id. Without --at, it gets \
        the position of the first photo that has one. With a photo that cannot be read, nothing \
        is added, unless the report is urgent: --evacuate, or severity 4 or 5.
        """)

    @Option(help: ArgumentHelp("The title, one line.", valueName: "text"))
    var title: String

    @OptionGroup var details: ReportDetails

    @Flag(help: "People must leave the area.")
    var evacuate = false

    @Option(
      name: .customLong("photo"), parsing: .upToNextOption,
      help: ArgumentHelp("Pictures to add: JPEG, PNG, WebP, HEIF.", valueName: "file"),
      completion: .file())
    var photos: [String] = []

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try TextArgument.check(title, .line, "title") }

    func run() async throws {
      // An urgent hazard waits for no picture and no question, and is not lost with them.
      let reading = isUrgent ? nil : try await read()
      let connection = try await NodeConnection.open(home)
      let place = try await details.place(isUrgent: isUrgent, by: connection)
      let draft = ReportDraft(
        title: title, details: details.description, category: details.category?.value,
        severity: details.rating.severity?.value, position: place ?? reading?.position,
        toEvacuate: evacuate)
      var adding: PhotoAdding?
      try await connection.create(.addReport(draft), output: output, wait: wait.seconds) { id in
        if isUrgent { await details.stateDoubts(of: id, at: place, by: connection) }
        guard !photos.isEmpty else { return "Report added" }
        let read = if let reading { reading } else { await PhotoReading(photos) }
        let added = try await PhotoAdding(read, to: id, by: connection)
        adding = added
        try await locate(id, by: added, connection, isWritten: reading != nil)
        return "Report added" + (added.text.map { " with \($0)" } ?? "")
      }
      try adding?.check(
        "the report is filed", remedy: "; add it later with `muster report photo add`")
    }

    private var isUrgent: Bool { evacuate || details.isSevere }

    /// Reads all photos. Throws `Refusal` if one cannot be read.
    private func read() async throws -> PhotoReading {
      let reading = await PhotoReading(photos)
      guard reading.failures.isEmpty else {
        throw Refusal(
          "nothing was added: \(reading.failures.joined(separator: "; ")); or leave --photo out")
      }
      return reading
    }

    /// Gives a report without a position that of its photo.
    ///
    /// - Parameter isWritten: whether the report has it already.
    private func locate(
      _ id: RowID, by adding: PhotoAdding, _ connection: NodeConnection, isWritten: Bool
    ) async throws {
      guard details.at == nil, let position = adding.position else { return }
      if !isWritten {
        _ = try await connection.ask(.editReport("\(id)", ReportChanges(position: position)))
      }
      let place = ValueText.place(position, as: .decimal)
      Standard.complain("the report has the position of its photo: \(place)")
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a report.",
      discussion: """
        Example:  muster report edit "Gas smell" --severity 5 --evacuate
                  muster report edit 3f9a --status resolved

        Only the given fields change.
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @Option(help: ArgumentHelp("The new title, one line.", valueName: "text"))
    var title: String?

    @OptionGroup var details: ReportDetails

    @Flag(
      inversion: .prefixedNo,
      help: "People must, or need not, leave the area.")
    var evacuate: Bool?

    @Option(help: "Whether the hazard still exists.")
    var status: NameArgument<ReportStatus>?

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    private var changes: ReportChanges {
      ReportChanges(
        title: title, details: details.description, category: details.category?.value,
        severity: details.rating.severity?.value, toEvacuate: evacuate, status: status?.value)
    }

    func validate() throws {
      try TextArgument.check(title, .line, "title")
      guard changes != ReportChanges() || details.at != nil else {
        throw ValidationError("give at least one option to change, such as --status resolved")
      }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let id = try await connection.report(named: report).id
      var changes = changes
      let isUrgent = evacuate == true || details.isSevere
      changes.position = try await details.place(isUrgent: isUrgent, by: connection)
      try await connection.send(.editReport("\(id)", changes), "Report changed", wait: wait.seconds)
      if isUrgent { await details.stateDoubts(of: id, at: changes.position, by: connection) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all reports.",
      discussion: """
        Example:  muster report list --json | jq '.[] | select(.toEvacuate)'

        DELIVERY counts the devices that confirmed to this node that they have the report, this \
        one included. "post ✓": a command device has acknowledged it with its signature.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      guard case .reports(let reports) = try await NodeConnection.open(home).ask(.reports) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(reports.map(\.json)).text) }
      guard !reports.isEmpty else { return try Standard.print("No reports.") }
      try Standard.print(ReportView.table(of: reports, coordinates.format).text(on: .current))
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one report, with photos and comments.",
      discussion: "Example:  muster report show \"Gas smell\"")

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      let report = try await NodeConnection.open(home).reportDetails(named: report)
      try Standard.print(
        output.json
          ? report.detailsJSON.text
          : ReportView.page(of: report, times.format, coordinates.format, on: .current))
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a report.",
      discussion: """
        Example:  muster report delete "Gas smell"

        A concurrent edit on another device restores it. If the hazard is over, keep the report \
        and mark it instead: muster report edit 3f9a --status resolved
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let report = try await connection.report(named: report, match: .whole)
      try confirmation.confirm(
        "This deletes the report \(SafeText.line(report.title)) (\(report.id.short)) on every "
          + "device", name: report.title)
      try await connection.send(.deleteReport("\(report.id)"), "Report deleted", wait: wait.seconds)
    }
  }

  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Confirm that you have seen the hazard too.",
      discussion: "Example:  muster report confirm 3f9a")

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let report = try await connection.report(named: report)
      try await connection.send(
        .confirmReport("\(report.id)", seen: report.content), "Report confirmed",
        wait: wait.seconds)
    }
  }

  struct Comment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a comment to a report.",
      discussion: "Example:  muster report comment 3f9a \"The smell is stronger now\"")

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @Argument(help: "The text of the comment.")
    var text: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      guard text.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError("the comment is empty")
      }
      try TextArgument.check(text, .paragraphs, "comment")
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let id = try await connection.report(named: report).id
      try await connection.send(
        .commentReport("\(id)", text: text), "Comment added", wait: wait.seconds)
    }
  }
}

/// The fields of a report besides its title.
struct ReportDetails: ParsableArguments {
  @Option(help: ArgumentHelp("Details, any number of lines.", valueName: "text"))
  var description: String?

  @Option(help: "The kind of hazard.")
  var category: NameArgument<ReportCategory>?

  @OptionGroup var rating: SeverityOptions

  @Option(
    help: ArgumentHelp(
      "The position: decimal degrees, or MGRS, UTM or degrees with letters in quotes.",
      valueName: "lat,lon"),
    transform: PlaceArgument.init(parsing:))
  var at: PlaceArgument?

  @OptionGroup var axisOrder: PlaceOptions

  /// Whether people are in danger: the severities that raise an alarm at command.
  var isSevere: Bool { (rating.severity?.value ?? 0) >= 4 }

  /// Returns the position that is meant, and warns if it is far. What is urgent waits for no
  /// question about it: `stateDoubts` follows.
  func place(isUrgent: Bool, by connection: NodeConnection) async throws -> Coordinate? {
    guard !isUrgent else { return axisOrder.urgentPosition(at) }
    let place = try await axisOrder.position(at, by: connection)
    await connection.warnIfFar(place)
    return place
  }

  /// States what is doubtful about the position of an urgent report, once it is sent.
  func stateDoubts(
    of report: RowID, at place: Coordinate?, by connection: NodeConnection
  ) async {
    guard await !axisOrder.stateDoubt(about: at, of: report, by: connection) else { return }
    await connection.warnIfFar(place)
  }

  func validate() throws { try TextArgument.check(description, .paragraphs, "description") }
}
