internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct PositionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "position",
    abstract: "Set the position of this laptop by hand.",
    discussion: "Example:  muster position set 47.3769,8.5417 --accuracy 20",
    subcommands: [Set.self])

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the position.",
      discussion: """
        Example:  muster position set -33.8688,151.2093 --accuracy 20
                  muster position set "56H LH 34368 50948"

        It counts like one from a receiver. It is sent once and replaced by the next one, so it \
        cannot be confirmed: there is no --wait.
        """)

    @Argument(
      help: ArgumentHelp(
        "Decimal degrees; south and west are negative. Or MGRS, UTM or degrees with letters.",
        valueName: "lat,lon"),
      transform: PlaceArgument.init(parsing:))
    var place: PlaceArgument

    @Option(
      help: ArgumentHelp("The radius of uncertainty.", valueName: "metres"),
      transform: MetresArgument.init(parsing:))
    var accuracy: MetresArgument?

    @Option(
      help: ArgumentHelp("The time of the position. (default: now)", valueName: "rfc3339"),
      transform: MomentArgument.init(parsing:))
    var time: MomentArgument?

    @Option(defaultAsFlag: "", help: .hidden)
    var wait: String?

    @OptionGroup var axisOrder: PlaceOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var coordinates: CoordinateOptions

    func validate() throws {
      guard wait == nil else {
        throw ValidationError(
          "a position takes no --wait: nodes keep the newest only and send no receipt for it; at "
            + "the command post `muster user list` shows its age")
      }
    }

    func run() async throws {
      let now = Timestamp.now
      let connection = try await NodeConnection.open(home)
      guard let position = try await axisOrder.position(place, by: connection) else { return }
      let fix = Fix(
        position: position, accuracyDecimetres: accuracy?.decimetres,
        sampleTime: time?.timestamp ?? now)
      await connection.warnIfFar(fix.position)
      try await connection.send(
        .setPosition(fix), "Position set to \(ValueText.fix(fix, as: coordinates.format))")
    }
  }
}
