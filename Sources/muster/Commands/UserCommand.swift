internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "People: who is safe, who is not, of whom nothing is known.",
    discussion: """
      Example:  muster user list
                muster user status help --note "Trapped on the second floor"
      """,
    subcommands: [List.self, Status.self, Override.self, Team.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists everybody with their safety, why, and where they were last.",
      discussion: "Example:  muster user list --json")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .users(let users) = try await Door.open(home).ask(.users) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(users.map(\.json)).text) }
      guard !users.isEmpty else { return try Standard.print("Nobody yet.") }
      var table = Table([
        "CALLSIGN", "ROLE", "STATUS", "WHY", "ORDER", "LAST FIX", "AGE", "TEAM", "ID",
      ])
      for user in users {
        table.add([
          .init(user.callsign, .strong), .init(user.isTracker ? "tracker" : user.role.name),
          user.statusCell,
          .init(user.reasons), .init(user.order?.words ?? ""), .init(Words.fix(user.fix)),
          .init(Words.age(user.age?.seconds)),
          .init(user.team), .init(user.id.short),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tells the others that you are safe, or that you need help.",
      discussion: "Example:  muster user status help --note \"Broken leg, at the north gate\"")

    @Argument(help: "Your own word.")
    var claim: ClaimArgument

    @Option(help: ArgumentHelp("What the others should know.", valueName: "text"))
    var note = ""

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

    func run() async throws {
      let words = claim.claim == .needsHelp ? "NEED HELP sent" : "SAFE sent"
      try await Door.open(home).send(.claimSafety(claim.claim, note: note), words)
    }
  }

  struct Override: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Command's word on somebody, until they say something themselves.",
      discussion: """
        Example:  muster user override Ben safe --note "In the ambulance"
                  muster user override Ben withdraw

        It answers what this laptop has heard them say; a call for help that it has not heard \
        goes before it.
        """)

    @Argument(help: "By callsign or id.")
    var person: String

    @Argument(help: "What is known of them.")
    var claim: OverrideArgument

    @Option(help: ArgumentHelp("What the others should know.", valueName: "text"))
    var note = ""

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

    func run() async throws {
      let command = Command.overrideSafety(user: person, claim.claim, note: note)
      _ = try await Door.open(home).change(command)
    }
  }

  struct Team: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says which team you are of, or as command somebody else.",
      discussion: """
        Example:  muster user team North
                  muster user team "" --user Ben
        """)

    @Argument(help: "The team's name; empty for none any more.")
    var team: String

    @Option(help: ArgumentHelp("Of whom, by callsign or id.", valueName: "callsign"))
    var user: String?

    @OptionGroup var home: HomeOptions

    func validate() throws {
      if !team.isEmpty { try TextArgument.check(team, .line, "team") }
    }

    func run() async throws {
      let words = team.isEmpty ? "Team removed" : "Team set to \(SafeText.line(team))"
      try await Door.open(home).send(.setTeam(team, user: user), words)
    }
  }
}
