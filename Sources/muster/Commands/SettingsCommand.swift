internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show and change the sampling settings of positions.",
    discussion: """
      Example:  muster settings set --reading 2s --sending 10s --share-track
                muster settings set --user Ben --background --mode coarse

      Settings apply to everyone, or to one person. Only command can change them.
      """,
    subcommands: [Show.self, Set.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the settings for everyone, or for one person.",
      discussion: "Example:  muster settings show --user Ben")

    @Option(
      help: ArgumentHelp("Show the settings of this person.", valueName: "callsign"),
      completion: .people)
    var user: String?

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let settings = try await SettingsCommand.settings(connection.person(named: user), connection)
      if output.json { return try Standard.print(settings.json.text) }
      var table = Table(["PROFILE", "MODE", "READING", "SENDING", "DISTANCE", "ACCURACY", "TRACK"])
      for (name, profile) in [
        ("foreground", settings.foreground), ("background", settings.background),
      ] {
        table.add([
          .init(name, .strong), .init(profile.mode.name), .init("\(profile.readingSeconds) s"),
          .init("\(profile.sendingSeconds) s"), .init("\(profile.distanceMetres) m"),
          .init("\(profile.accuracyMetres) m"),
          .init(profile.sharesTrack ? "shared" : "private"),
        ])
      }
      try Standard.print(table.text(on: .current))
      try Standard.print(
        "No contact after \(ValueText.age(settings.silenceSeconds)) without data from a person.")
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the settings for everyone, or for one person.",
      discussion: "Example:  muster settings set --reading 2s --silence 20m")

    @Option(
      help: ArgumentHelp("Change the settings of this person only.", valueName: "callsign"),
      completion: .people)
    var user: String?

    @Flag(help: "Change the background profile.")
    var background = false

    @Option(help: "automatic is coarse while the laptop does not move.")
    var mode: NameArgument<LocationMode>?

    @Option(
      help: ArgumentHelp("The time between readings of the receiver.", valueName: "5s"),
      transform: DurationArgument.init(parsing:))
    var reading: DurationArgument?

    @Option(
      help: ArgumentHelp("The time between published positions.", valueName: "20s"),
      transform: DurationArgument.init(parsing:))
    var sending: DurationArgument?

    @Option(
      help: ArgumentHelp("The movement after which a position is published.", valueName: "metres"))
    var distance: UInt16?

    @Option(help: ArgumentHelp("The wanted accuracy.", valueName: "metres"))
    var accuracy: UInt16?

    @Flag(inversion: .prefixedNo, help: "Publish the whole track, or only the last position.")
    var shareTrack: Bool?

    @Option(
      help: ArgumentHelp(
        "The time without data after which a person is in no contact.", valueName: "10m"),
      transform: DurationArgument.init(parsing:))
    var silence: DurationArgument?

    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      let isEmpty =
        mode == nil && reading == nil && sending == nil && distance == nil && accuracy == nil
        && shareTrack == nil && silence == nil
      guard !isEmpty else { throw ValidationError("give a setting, such as --reading 5s") }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let user = try await connection.person(named: user)
      let settings = try await SettingsCommand.settings(user, connection)
      let before = background ? settings.background : settings.foreground
      var profile = before
      if let mode { profile.mode = mode.value }
      if let reading { profile.readingSeconds = try Self.seconds(reading, "--reading") }
      if let sending { profile.sendingSeconds = try Self.seconds(sending, "--sending") }
      if let distance { profile.distanceMetres = distance }
      if let accuracy { profile.accuracyMetres = accuracy }
      if let shareTrack { profile.sharesTrack = shareTrack }
      if profile != before {
        _ = try await connection.change(.setProfile(profile, user: user, isForeground: !background))
      }
      if let silence {
        guard let seconds = UInt32(exactly: silence.seconds) else {
          throw Refusal("--silence is too long: give at most 7d")
        }
        _ = try await connection.change(.setSilence(seconds: seconds, user: user))
      }
      let isChanged = profile != before || silence != nil
      try Standard.print(
        isChanged
          ? await connection.withReach("Settings changed")
          : "Nothing changed: these are the settings")
    }

    private static func seconds(
      _ duration: DurationArgument, _ name: String
    ) throws(Refusal) -> UInt16 {
      guard let seconds = UInt16(exactly: duration.seconds) else {
        throw Refusal("\(name) must be at most 1h: give less")
      }
      return seconds
    }
  }

  fileprivate static func settings(
    _ user: String?, _ connection: NodeConnection
  ) async throws -> SettingsSummary {
    guard case .settings(let settings) = try await connection.ask(.settings(user: user)) else {
      throw Refusal.unexpectedReply
    }
    return settings
  }
}
