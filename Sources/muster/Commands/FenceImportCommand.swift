internal import ArgumentParser
internal import MusterHTTP
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

        The file is GeoJSON, KML, KMZ, GPX, GeoPackage or a zipped Shapefile. Zones have the \
        names in the file. What cannot be a zone is left out and named. A zone with the same name \
        and outline is not added again. Prints the ids.
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
      var content = try ImportedFile.read(file) {
        try ZoneFile(
          opening: $0, kind: kind?.value, radiusMetres: radius.map { Double($0.decimetres) / 10 })
      }
      try ImportedFile.check(content.outcome, of: file, isStrict: strict, "zone")
      let connection = try await NodeConnection.open(home)
      guard case .fences(let existing) = try await connection.ask(.fences) else {
        throw Refusal.unexpectedReply
      }
      content.leaveOut(existing)
      try await ImportedFile.add(
        content.zones, content.outcome, "Adding zones", ("zone added", "zones added"),
        output: output, wait: wait.seconds, by: connection
      ) { zone in
        guard case .created(let id) = try await connection.ask(.addFence(zone.draft)) else {
          throw Refusal.unexpectedReply
        }
        if !zone.isActive { _ = try await connection.ask(.setFenceActive("\(id)", false)) }
        return id
      }
    }
  }
}
