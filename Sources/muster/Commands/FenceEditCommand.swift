internal import ArgumentParser
internal import MusterModel
internal import MusterNode

extension FenceCommand {
  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change a zone.",
      discussion: """
        Example:  muster zone edit Camp --circle 47.3769,8.5417,80

        Only the given fields change. A new outline replaces the old one. Concurrent edits of one \
        field are a conflict: both values are kept until an edit resolves it.
        """)

    @Argument(help: "The zone, by name or id.", completion: .zones)
    var zone: String

    @Option(help: ArgumentHelp("The new name of the zone.", valueName: "name"))
    var name: String?

    @OptionGroup var fence: FenceOptions

    @Option(
      help: ArgumentHelp("The time until command must review it, or off.", valueName: "2h"),
      transform: ReviewArgument.init(parsing:))
    var review: ReviewArgument?

    @Option(help: ArgumentHelp("Raise an alert at each entry.", valueName: "switch"))
    var alert: SwitchArgument?

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      if let name { try TextArgument.check(name, .line, "name") }
      guard name != nil || review != nil || alert != nil || !fence.isEmpty else {
        throw ValidationError("give at least one option to change, such as --name")
      }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let circle = try await fence.circle(by: connection)
      let geometry = try circle ?? fence.outline()?.geometry
      let changes = FenceChanges(
        name: name, kind: fence.kind?.value, geometry: geometry,
        dwellSeconds: fence.dwell?.seconds, reviewSeconds: review?.seconds,
        alertsEntry: alert.map { $0 == .on })
      let id = try await connection.zone(named: zone, match: .whole).id
      try await connection.send(.editFence("\(id)", changes), "Zone changed", wait: wait.seconds)
    }
  }
}
