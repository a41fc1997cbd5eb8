internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "How closely laptops watch where they are, as command wants it.",
    discussion: """
      Example:  muster settings set --reading 2s --sending 10s --share-track
                muster settings set --user Ben --background --mode coarse
      """,
    subcommands: [Show.self, Set.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows what counts for everybody, or for one person.",
      discussion: "Example:  muster settings show --user Ben")

    @Option(help: ArgumentHelp("Whose.", valueName: "callsign"))
    var user: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let settings = try await SettingsCommand.settings(user, Door.open(home))
      if output.json { return try Standard.print(settings.json.text) }
      var table = Table(["", "MODE", "READING", "SENDING", "DISTANCE", "ACCURACY", "TRACK"])
      for (name, profile) in [
        ("foreground", settings.foreground), ("background", settings.background),
      ] {
        table.add([
          .init(name, .strong), .init(profile.mode.name), .init("\(profile.readingSeconds) s"),
          .init("\(profile.sendingSeconds) s"), .init("\(profile.distanceMetres) m"),
          .init("\(profile.accuracyMetres) m"),
          .init(profile.sharesTrack ? "shared" : "kept to itself"),
        ])
      }
      try Standard.print(table.text(on: .current))
      try Standard.print("silent after \(Words.age(settings.silenceSeconds))")
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Changes what is given, for everybody or for one person.",
      discussion: "Example:  muster settings set --reading 2s --silence 20m")

    @Option(help: ArgumentHelp("For this person only.", valueName: "callsign"))
    var user: String?

    @Flag(help: "What counts while nobody looks at the laptop.")
    var background = false

    @Option(help: "Precise, coarse, or automatic: coarse once still.")
    var mode: NameArgument<LocationMode>?

    @Option(
      help: ArgumentHelp("Between readings.", valueName: "5s"),
      transform: DurationArgument.init(parsing:))
    var reading: DurationArgument?

    @Option(
      help: ArgumentHelp("Between positions that are sent.", valueName: "20s"),
      transform: DurationArgument.init(parsing:))
    var sending: DurationArgument?

    @Option(help: ArgumentHelp("What movement is worth telling.", valueName: "metres"))
    var distance: UInt16?

    @Option(help: ArgumentHelp("How good a fix should be.", valueName: "metres"))
    var accuracy: UInt16?

    @Flag(inversion: .prefixedNo, help: "Whether the whole track is shared.")
    var shareTrack: Bool?

    @Option(
      help: ArgumentHelp(
        "Without a fix for so long, nothing is known of somebody.", valueName: "10m"),
      transform: DurationArgument.init(parsing:))
    var silence: DurationArgument?

    @OptionGroup var home: HomeOptions

    func run() async throws {
      let door = try await Door.open(home)
      let settings = try await SettingsCommand.settings(user, door)
      let before = background ? settings.background : settings.foreground
      var profile = before
      if let mode { profile.mode = mode.value }
      if let reading { profile.readingSeconds = try Self.seconds(reading, "--reading") }
      if let sending { profile.sendingSeconds = try Self.seconds(sending, "--sending") }
      if let distance { profile.distanceMetres = distance }
      if let accuracy { profile.accuracyMetres = accuracy }
      if let shareTrack { profile.sharesTrack = shareTrack }
      if profile != before {
        _ = try await door.change(.setProfile(profile, user: user, isForeground: !background))
      }
      if let silence {
        guard let seconds = UInt32(exactly: silence.seconds) else {
          throw Refusal("--silence is out of range")
        }
        _ = try await door.change(.setSilence(seconds: seconds, user: user))
      }
    }

    private static func seconds(
      _ duration: DurationArgument, _ name: String
    ) throws(Refusal) -> UInt16 {
      guard let seconds = UInt16(exactly: duration.seconds) else {
        throw Refusal("\(name) is at most an hour")
      }
      return seconds
    }
  }

  fileprivate static func settings(
    _ user: String?, _ door: Door
  ) async throws -> SettingsSummary {
    guard case .settings(let settings) = try await door.ask(.settings(user: user)) else {
      throw Refusal.unexpectedReply
    }
    return settings
  }
}
