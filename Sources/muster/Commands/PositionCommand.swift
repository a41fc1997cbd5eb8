internal import ArgumentParser
internal import MusterModel
internal import MusterNode

struct PositionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "position",
    abstract: "Where this laptop is, told by hand.",
    discussion: "Example:  muster position set 47.3769,8.5417 --accuracy 20",
    subcommands: [Set.self])

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets one fix.",
      discussion: """
        Example:  muster position set -33.8688,151.2093 --accuracy 20

        It counts like a receiver's: coming into a fence or leaving one is told to all.
        """)

    @Argument(
      help: ArgumentHelp("In degrees; south and west are negative.", valueName: "lat,lon"),
      transform: PlaceArgument.init(parsing:))
    var place: PlaceArgument

    @Option(
      help: ArgumentHelp("The radius within which you are sure to be.", valueName: "metres"),
      transform: MetresArgument.init(parsing:))
    var accuracy: MetresArgument?

    @Option(
      help: ArgumentHelp("When you were there. (default: now)", valueName: "rfc3339"),
      transform: MomentArgument.init(parsing:))
    var time: MomentArgument?

    @OptionGroup var home: HomeOptions

    func run() async throws {
      let fix = Fix(
        position: place.coordinate, accuracyDecimetres: accuracy?.decimetres,
        sampleTime: time?.timestamp ?? .now)
      try await Door.open(home).send(
        .setPosition(fix), "Position set to \(Words.fix(fix))")
    }
  }
}
