internal import ArgumentParser
internal import MusterHTTP
internal import MusterModel
internal import MusterNode

extension ReportCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the points of a file as reports.",
      discussion: """
        Example:  muster report import damage.gpx --category structure --severity 2

        The file is GeoJSON, KML, KMZ, GPX, GeoPackage or a zipped Shapefile. Reports have the \
        names and descriptions in the file. What cannot be a report is left out and named. A \
        report with the same title at the same position is not added again. Prints the ids.
        """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: "The kind of hazard. (default: other)")
    var category: NameArgument<ReportCategory>?

    @OptionGroup var rating: SeverityOptions

    @Flag(help: "Add nothing if anything must be left out.")
    var strict = false

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      var content = try ImportedFile.read(file) {
        try ReportFile(opening: $0, category: category?.value, severity: rating.severity?.value)
      }
      try ImportedFile.check(content.outcome, of: file, isStrict: strict, "report")
      let connection = try await NodeConnection.open(home)
      guard case .reports(let existing) = try await connection.ask(.reports) else {
        throw Refusal.unexpectedReply
      }
      content.leaveOut(existing)
      try await ImportedFile.add(
        content.drafts, content.outcome, "Adding reports", ("report added", "reports added"),
        output: output, wait: wait.seconds, by: connection
      ) { draft in
        guard case .created(let id) = try await connection.ask(.addReport(draft)) else {
          throw Refusal.unexpectedReply
        }
        return id
      }
    }
  }
}
