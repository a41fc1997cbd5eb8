internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ReportPhotoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "photo",
    abstract: "Manage the photos of a report.",
    discussion: """
      Example:  muster report photo add "Gas smell" valve.jpg
                muster report photo get "Gas smell" 1 --out valve.jpg

      A photo is named by its number in the list, or by its id.
      """,
    subcommands: [Add.self, List.self, Get.self, Remove.self, Request.self],
    defaultSubcommand: Get.self)

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add photos to a report.",
      discussion: """
        Example:  muster report photo add "Gas smell" valve.jpg street.heic

        Reads JPEG, PNG, WebP and HEIF. Photos are scaled to 2048 pixels, and lose all metadata \
        but their time and position.
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @Argument(help: ArgumentHelp("The pictures.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let report = try await connection.report(named: report)
      let adding = try await PhotoAdding(
        await PhotoReading(files), to: report.id, by: connection)
      if output.json {
        try Standard.print(JSON.object(["ids": .array(adding.added.map(JSON.id))]).text)
      } else if let text = adding.text {
        try Standard.print(await connection.withReach("Added \(text)"))
      }
      try adding.check("the report \(report.id.short) is left")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the photos of a report.",
      discussion: """
        Example:  muster report photo list "Gas smell"

        STATUS: how much of it is here; then on how many devices it is known to be.
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let photos = try await connection.photos(of: connection.report(named: report).id)
      if output.json { return try Standard.print(JSON.array(photos.map(\.json)).text) }
      guard !photos.isEmpty else { return try Standard.print("No photos.") }
      try Standard.print(
        PhotoView.table(of: photos, times.format, coordinates.format).text(on: .current))
    }
  }

  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a photo to a file.",
      discussion: """
        Example:  muster report photo get "Gas smell" 1 --out valve.jpg

        The name `-` is standard output.
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @Argument(help: "The photo, by number or id.")
    var photo: String

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var out: String

    @Flag(help: "Write the thumbnail.")
    var thumbnail = false

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let id = try await connection.report(named: report).id
      let found = try await connection.photo(named: photo, of: id)
      let status = thumbnail ? found.photo.thumbnail : found.photo.original
      guard status.isComplete else {
        throw Refusal(
          "photo \(found.number) is not complete here: \(status.text). Wait, or fetch it with "
            + "`muster report photo request`")
      }
      let bytes = try await connection.bytes(
        of: found.photo.id, thumbnail ? .thumbnail : .original, in: id)
      if out == "-" { return try Standard.write(bytes) }
      try OutputFile.write(bytes, to: out)
      try Standard.print("Photo \(found.number) written to \(out)")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a photo from a report.",
      discussion: """
        Example:  muster report photo remove "Gas smell" 1

        Its author and command can.
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @Argument(help: "The photo, by number or id.")
    var photo: String

    @OptionGroup var confirmation: ConfirmationOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let report = try await connection.report(named: report, match: .whole)
      let found = try await connection.photo(named: photo, of: report.id)
      try confirmation.confirm(
        "This removes photo \(found.number), added by \(SafeText.line(found.photo.callsign)), of "
          + "the report \(SafeText.line(report.title)) on every device", name: report.title)
      try await connection.send(
        .removePhoto("\(found.photo.id)", of: "\(report.id)"), "Photo removed",
        wait: wait.seconds)
    }
  }

  struct Request: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetch a photo that is not fetched unasked.",
      discussion: """
        Example:  muster report photo request "Gas smell" 1

        Relays and nodes on slow links fetch thumbnails only. The node must run.
        """)

    @Argument(help: "The report, by title or id.", completion: .reports)
    var report: String

    @Argument(help: "The photo, by number or id.")
    var photo: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = NodeConnection.running(try await NodeConnection.runningNode(of: home))
      let id = try await connection.report(named: report).id
      let found = try await connection.photo(named: photo, of: id)
      _ = try await connection.ask(.requestPhoto("\(found.photo.id)", of: "\(id)"))
      let now = try await connection.photo(named: "\(found.photo.id)", of: id)
      try Standard.print("Requested · \(now.photo.original.text)")
    }
  }
}
