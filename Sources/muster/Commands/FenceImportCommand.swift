internal import ArgumentParser
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode

extension FenceCommand {
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the areas of a file as zones.",
      discussion: """
        Example:  muster zone import search-areas.kml --kind hazard
                  muster zone import shelters.gpx --kind assembly --radius 50

        The file is GeoJSON, KML or GPX. Zones have the names in the file. What cannot be a zone \
        is left out and named. A zone with the same name and outline is not added again. Prints \
        the ids.
        """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: "The meaning of being inside. (default: that in the file, else info)")
    var kind: ZoneKindArgument?

    @Option(
      help: ArgumentHelp("Also add a zone around each point.", valueName: "metres"),
      transform: MetresArgument.init(parsing:))
    var radius: MetresArgument?

    @Flag(help: "Add nothing if anything must be left out.")
    var strict = false

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let data = try InputFile.data(of: file, limit: OverlayShapes.maximumBytes)
      var content = try ZoneFile(
        data, path: file, kind: kind?.value, radiusCentimetres: radius.map { $0.decimetres * 10 })
      guard !content.zones.isEmpty, !strict || content.leftOut.isEmpty else {
        throw Refusal("\(file): no zone was added. \(Self.summary(content.leftOut))")
      }
      let connection = try await NodeConnection.open(home)
      guard case .fences(let existing) = try await connection.ask(.fences) else {
        throw Refusal.unexpectedReply
      }
      content.leaveOut(existing)
      let confirmation = try await WriteConfirmation(wait: wait.seconds, connection: connection)
      var ids: [RowID] = []
      for zone in content.zones {
        guard case .created(let id) = try await connection.ask(.addFence(zone.draft)) else {
          throw Refusal.unexpectedReply
        }
        if !zone.isActive { _ = try await connection.ask(.setFenceActive("\(id)", false)) }
        ids.append(id)
        if !output.json { try Standard.print("\(id)") }
      }
      if output.json {
        try Standard.print(
          JSON.object(["ids": .array(ids.map(JSON.id)), "leftOut": .strings(content.leftOut)]).text)
      }
      for reason in content.leftOut { Standard.complain("left out: \(SafeText.line(reason))") }
      let added = ValueText.count(ids.count, "zone", "zones") + " added"
      Standard.complain(
        await connection.withReach(
          content.leftOut.isEmpty ? added : "\(added), \(content.leftOut.count) left out"))
      if let text = try await confirmation?.text() { Standard.complain(text) }
    }

    private static func summary(_ leftOut: [String]) -> String {
      let more = leftOut.count > 1 ? " (and \(leftOut.count - 1) more)" : ""
      return "Left out: \(SafeText.line(leftOut.first ?? "it has no shapes"))\(more)"
    }
  }
}
