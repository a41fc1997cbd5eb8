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
    subcommands: [
      List.self, Status.self, Override.self, SignOff.self, SignOn.self, Team.self,
    ])

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
      discussion: """
        Example:  muster user status help --note "Broken leg, at the north gate"
                  muster user status safe --for Truck

        For whoever carries a tracker, its owner or command says it with --for.
        """)

    @Argument(help: "Your own word.")
    var claim: ClaimArgument

    @Option(help: ArgumentHelp("What the others should know.", valueName: "text"))
    var note = ""

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("For whoever carries this tracker.", valueName: "callsign"))
    var tracker: String?

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

    func run() async throws {
      if let tracker {
        let state = claim.claim == .needsHelp ? "NEEDS HELP" : "SAFE"
        return try await Door.open(home).send(
          .claimSafetyOf(tracker: tracker, claim.claim, note: note),
          "\(SafeText.line(tracker)) \(state) sent")
      }
      let words = claim.claim == .needsHelp ? "NEED HELP sent" : "SAFE sent"
      try await Door.open(home).send(.claimSafety(claim.claim, note: note), words)
    }
  }

  struct Override: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Command's word on somebody, until they say something themselves.",
      discussion: """
        Example:  muster user override Ben safe --note "In the ambulance"
                  muster user override Ben safe --away 3f9a
                  muster user override Ben clear

        "safe" accounts for them: it names the claims, open orders and positions that this node \
        holds. A call for help that it does not name goes before it, and so does a later order, \
        or a later position in a hazard zone of a device that is with them.
        """)

    @Argument(help: "By callsign or id.")
    var person: String

    @Argument(help: "What is known of them.")
    var claim: OverrideArgument

    @Option(help: ArgumentHelp("What the others should know.", valueName: "text"))
    var note = ""

    @Option(
      help: ArgumentHelp(
        "A device of theirs that is not with them; may be repeated.", valueName: "device"))
    var away: [String] = []

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

    func run() async throws {
      let name = SafeText.line(person)
      let words =
        switch claim.claim {
        case .safe: "\(name) accounted for"
        case .needsHelp: "\(name) NEEDS HELP, says command"
        case nil: "Override of \(name) cleared"
        }
      try await Door.open(home).send(
        .overrideSafety(user: person, claim.claim, note: note, away: away), words)
    }
  }

  struct SignOff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signoff",
      abstract: "Sign a person off: they have left the operation.",
      discussion: """
        Example:  muster user signoff Ben --reason "Shift is over"

        It settles the orders that are open now, and no later one. It revokes no device, and a \
        later call for help counts. While a call for help stands, or an open order is for them, \
        it has to be confirmed with --yes.
        """)

    @Argument(help: "By callsign or id. (default: yourself)")
    var person: String?

    @Option(help: ArgumentHelp("Why.", valueName: "text"))
    var reason: String

    @Flag(help: "Although a call for help stands, or an open order is for them.")
    var yes = false

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(reason, .paragraphs, "reason") }

    func run() async throws {
      let words = (person.map { SafeText.line($0) } ?? "You are") + " signed off"
      try await Door.open(home).send(
        .signOff(user: person, reason: reason, isConfirmed: yes), words)
    }
  }

  struct SignOn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signon",
      abstract: "Sign a person on again after a sign-off.",
      discussion: "Example:  muster user signon Ben")

    @Argument(help: "By callsign or id. (default: yourself)")
    var person: String?

    @Option(help: ArgumentHelp("Why.", valueName: "text"))
    var reason = ""

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(reason, .paragraphs, "reason") }

    func run() async throws {
      let words = (person.map { SafeText.line($0) } ?? "You are") + " in the operation again"
      try await Door.open(home).send(.signOn(user: person, reason: reason), words)
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
