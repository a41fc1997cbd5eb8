internal import ArgumentParser
internal import MusterModel
internal import MusterNode

extension FenceCommand {
  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Changes a fence; what is not given stays.",
      discussion: """
        Example:  muster fence edit 3f9a --circle 47.3769,8.5417,80

        An outline replaces the one before it whole. Who edits at the same time elsewhere makes a \
        conflict, in which both outlines are kept until someone decides.
        """)

    @Argument(help: "The fence.", transform: RowArgument.init(parsing:))
    var id: RowArgument

    @Option(help: ArgumentHelp("What it is called.", valueName: "name"))
    var name: String?

    @Option(help: "What being inside means.")
    var kind: NameArgument<FenceKind>?

    @Option(
      help: ArgumentHelp("A centre in degrees and a radius.", valueName: "lat,lon,metres"),
      transform: CircleArgument.init(parsing:))
    var circle: CircleArgument?

    @Option(help: ArgumentHelp("A file with an outline.", valueName: "file"))
    var geojson: String?

    @Option(
      help: ArgumentHelp("How long inside before it is an ENTER.", valueName: "30s"),
      transform: DwellArgument.init(parsing:))
    var dwell: DwellArgument?

    @OptionGroup var home: HomeOptions

    func validate() throws {
      if let name { try TextArgument.check(name, .line, "name") }
      guard circle == nil || geojson == nil else {
        throw ValidationError("give one of --circle and --geojson")
      }
      let isEmpty = name == nil && kind == nil && circle == nil && geojson == nil && dwell == nil
      guard !isEmpty else { throw ValidationError("say what to change: see --help") }
    }

    func run() async throws {
      let geometry = try circle?.geometry ?? geojson.map { try OutlineFile.fence(in: $0).geometry }
      let changes = FenceChanges(
        name: name, kind: kind?.value, geometry: geometry, dwellSeconds: dwell?.seconds)
      _ = try await Door.open(home).change(.editFence(id.prefix, changes))
    }
  }
}
