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

    @OptionGroup var fence: FenceOptions

    @Option(
      help: ArgumentHelp("After how long command is to review it; off for never.", valueName: "2h"),
      transform: ReviewArgument.init(parsing:))
    var review: ReviewArgument?

    @Option(help: "Whether an entry raises an alert.")
    var alert: SwitchArgument?

    @OptionGroup var home: HomeOptions

    func validate() throws {
      if let name { try TextArgument.check(name, .line, "name") }
      guard name != nil || review != nil || alert != nil || !fence.isEmpty else {
        throw ValidationError("say what to change: see --help")
      }
    }

    func run() async throws {
      let geometry =
        try fence.circle?.geometry ?? fence.geojson.map { try OutlineFile.fence(in: $0).geometry }
      let changes = FenceChanges(
        name: name, kind: fence.kind?.value, geometry: geometry,
        dwellSeconds: fence.dwell?.seconds, reviewSeconds: review?.seconds,
        alertsEntry: alert.map { $0 == .on })
      try await Door.open(home).send(.editFence(id.prefix, changes), "Zone changed")
    }
  }
}
