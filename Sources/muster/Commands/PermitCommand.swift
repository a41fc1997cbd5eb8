internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct PermitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permit",
    abstract: "Permits to be in a hazard zone for a while.",
    discussion: """
      Example:  muster permit add Plume --user Ben --for 30m

      Under a permit, a person in the zone is shown as a warning instead of a danger.
      """,
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Permit people or a team to be in a hazard zone.",
      discussion: "Example:  muster permit add Plume --team North --for 2h")

    @Argument(help: "The hazard zone, by name or id.")
    var zone: String

    @Option(help: ArgumentHelp("By callsign or id; may be repeated.", valueName: "callsign"))
    var user: [String] = []

    @Option(help: ArgumentHelp("A team's name.", valueName: "name"))
    var team: String?

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("How long, from now on.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var duration: DurationArgument

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if let team { try TextArgument.check(team, .line, "team") }
    }

    func run() async throws {
      let order = PermitOrder(
        people: user, team: team ?? "", zone: zone,
        durationSeconds: UInt32(clamping: duration.seconds))
      guard case .created(let id) = try await Door.open(home).change(.addPermit(order)) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.object(["id": .id(id)]).text) }
      try Standard.print("\(id)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List permits, those that are not revoked first.",
      discussion: "Example:  muster permit list --json")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .permits(let permits) = try await Door.open(home).ask(.permits) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(permits.map(\.json)).text) }
      guard !permits.isEmpty else { return try Standard.print("No permits.") }
      var table = Table(["ID", "ZONE", "FOR", "DURATION", "ISSUED", "BY", "STATE"])
      for permit in permits {
        let people = permit.people + (permit.team.isEmpty ? [] : ["team \(permit.team)"])
        table.add([
          .init(permit.id.short), .init(permit.zoneName, .strong),
          .init(people.joined(separator: ", ")),
          .init("\(RoundedSpan(seconds: UInt64(permit.durationSeconds)))"),
          .init("\(permit.issuedAt)"), .init(permit.callsign),
          .init(permit.isRevoked ? "revoked" : "issued"),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a permit for good.",
      discussion: "Example:  muster permit revoke 3f9a")

    @Argument(help: "The permit's id, or as many of its digits as name one.")
    var id: String

    @OptionGroup var home: HomeOptions

    func run() async throws {
      try await Door.open(home).send(.revokePermit(id), "Permit \(SafeText.line(id)) revoked")
    }
  }
}
