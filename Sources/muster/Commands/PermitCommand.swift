internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct PermitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "permit",
    abstract: "Manage entry permits for hazard zones.",
    discussion: """
      Example:  muster permit add Plume --user Ben --for 30m

      A person in the zone with a permit is shown as a warning instead of a danger.
      """,
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Permit people or a team to enter a hazard zone.",
      discussion: "Example:  muster permit add Plume --team North --for 2h")

    @Argument(help: "The hazard zone, by name or id.", completion: .zones)
    var zone: String

    @Option(
      help: ArgumentHelp("Permit this person. May be repeated.", valueName: "callsign"),
      completion: .people)
    var user: [String] = []

    @Option(help: ArgumentHelp("Permit this team.", valueName: "name"), completion: .teams)
    var team: String?

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("The time until it ends, from now.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var duration: DurationArgument

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if let team { try TextArgument.check(team, .line, "team") }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let order = PermitOrder(
        people: try await connection.people(named: user), team: team ?? "",
        zone: "\(try await connection.zone(named: zone, match: .whole).id)",
        durationSeconds: UInt32(clamping: duration.seconds))
      try await connection.create(.addPermit(order), output: output, wait: wait.seconds) { _ in
        "Permit issued"
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all permits, revoked ones last.",
      discussion: "Example:  muster permit list --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      guard case .permits(let permits) = try await NodeConnection.open(home).ask(.permits) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(permits.map(\.json)).text) }
      guard !permits.isEmpty else { return try Standard.print("No permits.") }
      var table = Table(
        ["ID", "ZONE", "FOR", "DURATION", "STATE", "ISSUED", "BY"], optional: ["BY", "ISSUED"])
      for permit in permits {
        let people = permit.people + (permit.team.isEmpty ? [] : ["team \(permit.team)"])
        table.add([
          .init(permit.id.short), .init(permit.zoneName, .strong),
          .init(people.joined(separator: ", ")),
          .init("\(RoundedSpan(seconds: UInt64(permit.durationSeconds)))"),
          .init(permit.isRevoked ? "revoked" : "issued"),
          .init(times.format.text(permit.issuedAt)), .init(permit.callsign),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a permit.",
      discussion: "Example:  muster permit revoke Plume")

    @Argument(help: "The permit: its id, or its zone if that has only one.", completion: .zones)
    var id: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let permit = try await connection.permit(named: id)
      try await connection.send(
        .revokePermit("\(permit.id)"), "Permit for \(SafeText.line(permit.zoneName)) revoked",
        wait: wait.seconds)
    }
  }
}
