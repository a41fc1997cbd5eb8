internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "Show and change the status of people.",
    discussion: """
      Example:  muster user list
                muster user status help --note "Trapped on the second floor"
                muster user override Ben safe --note "In the ambulance"
                muster user team Ben North

      A person is named by callsign or id, before everything else. Without one, a command is \
      about you.
      """,
    subcommands: [
      List.self, Status.self, Override.self, SignOff.self, SignOn.self, Team.self, Clock.self,
    ])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all people with status, reason and position.",
      discussion: "Example:  muster user list --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      guard case .users(let users) = try await NodeConnection.open(home).ask(.users) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(users.map(\.json)).text) }
      guard !users.isEmpty else { return try Standard.print("No people yet.") }
      var table = Table(
        [
          "CALLSIGN", "STATUS", "AGE", "REASON", "ORDER", "TEAM", "BATTERY", "LAST FIX", "ROLE",
          "ID",
        ],
        optional: ["TEAM", "BATTERY", "LAST FIX", "ROLE", "ID"])
      for user in users {
        table.add([
          .init(user.callsign, .strong), user.statusCell, .init(ValueText.age(user.age?.seconds)),
          .init(user.reasons), .init(user.order?.words ?? ""), .init(user.team), user.batteryCell,
          .init(ValueText.fix(user.fix, as: coordinates.format)),
          .init(user.roleName),
          .init(user.id.short),
        ])
      }
      try Standard.print(table.text(on: .current))
      for line in users.flatMap({ $0.phone?.lines(of: $0.callsign) ?? [] }) {
        let lines =
          Screen.current.columns.map { WrappedText(line, width: $0, indent: "  ").lines } ?? [line]
        try Standard.print(lines.joined(separator: "\n"))
      }
    }
  }

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report that you are safe, or need help.",
      usage: "muster user status [<person>] safe|help [--note <text>] [--wait [<seconds>]]",
      discussion: """
        Example:  muster user status help --note "Broken leg, at the north gate"
                  muster user status Truck safe

        The owner of a tracker or command reports for the person who carries it. For anyone else, \
        command uses `muster user override`.
        """)

    @Argument(
      help: "The person who carries a tracker. (default: you)",
      completion: .people(or: ClaimArgument.allValueStrings))
    var person: String?

    @Argument(
      help: "The status: safe or help.", completion: .list(ClaimArgument.allValueStrings))
    var status: String?

    @Option(help: ArgumentHelp("Details for the others.", valueName: "text"))
    var note = ""

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("The old form of the person.", visibility: .hidden))
    var tracker: String?

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    private var words: PersonWords {
      get throws { try PersonWords(person, status, person: tracker, "status") }
    }

    private var claim: ClaimArgument {
      get throws {
        let text = try words.value
        guard let claim = ClaimArgument(argument: text) else {
          throw ValidationError(
            "the status '\(SafeText.line(text))' is none of 'safe' and 'help'")
        }
        return claim
      }
    }

    func validate() throws {
      _ = try claim
      try TextArgument.check(note, .paragraphs, "note")
    }

    func run() async throws {
      let (claim, person) = (try claim.claim, try words.person)
      let connection = try await NodeConnection.open(home)
      guard let person else {
        return try await connection.send(
          .claimSafety(claim, note: note), claim == .needsHelp ? "NEED HELP" : "SAFE",
          wait: wait.seconds)
      }
      try await connection.send(
        .claimSafetyOf(tracker: try await connection.person(named: person), claim, note: note),
        "\(SafeText.line(person)) \(claim == .needsHelp ? "NEEDS HELP" : "SAFE")",
        wait: wait.seconds)
    }
  }

  struct Override: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the status of a person, as command.",
      discussion: """
        Example:  muster user override Ben safe --note "In the ambulance"

        safe means accounted for: it answers the calls for help, open orders and positions that \
        this node has. A later call for help or order, or a later position in a hazard zone, ends \
        it. The person's own next report ends any override. clear removes it.
        """)

    @Argument(help: "The person, by callsign or id.", completion: .people)
    var person: String

    @Argument(
      help: ArgumentHelp("The status.", valueName: "status"))
    var claim: OverrideArgument

    @Option(help: ArgumentHelp("Details for the others.", valueName: "text"))
    var note = ""

    @Option(
      help: ArgumentHelp(
        "A device that they do not carry. May be repeated.", valueName: "device"),
      completion: .devices)
    var away: [String] = []

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

    func run() async throws {
      let name = SafeText.line(person)
      let words =
        switch claim.claim {
        case .safe: "\(name) accounted for"
        case .needsHelp: "Override of \(name): NEEDS HELP"
        case nil: "Override of \(name) cleared"
        }
      let connection = try await NodeConnection.open(home)
      let user = try await connection.person(named: person) as String
      try await connection.send(
        .overrideSafety(user: user, claim.claim, note: note, away: away), words, wait: wait.seconds)
    }
  }

  struct SignOff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signoff",
      abstract: "Sign off a person who leaves the operation.",
      discussion: """
        Example:  muster user signoff Ben --reason "Shift is over"

        Settles the orders that are open now. It revokes no device, and a later call for help \
        still counts. Their logins here only call for help until they are signed on again. While \
        a call for help or an order for the person is open, it needs --yes.
        """)

    @Argument(help: "The person, by callsign or id. (default: you)", completion: .people)
    var person: String?

    @Option(help: ArgumentHelp("The reason.", valueName: "text"))
    var reason: String

    @Flag(help: "Confirm, although a call for help or an order is open.")
    var yes = false

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws { try TextArgument.check(reason, .paragraphs, "reason") }

    func run() async throws {
      let words = (person.map { SafeText.line($0) } ?? "You are") + " signed off"
      let connection = try await NodeConnection.open(home)
      let user = try await connection.person(named: person)
      try await connection.send(
        .signOff(user: user, reason: reason, isConfirmed: yes), words, wait: wait.seconds)
      if let user = user.flatMap({ UserID(hex: $0) }) {
        try PersonAccess(of: user, in: home).state(.signedOff)
      }
    }
  }

  struct SignOn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signon",
      abstract: "Sign a person on again after a sign-off.",
      discussion: "Example:  muster user signon Ben")

    @Argument(help: "The person, by callsign or id. (default: you)", completion: .people)
    var person: String?

    @Option(help: ArgumentHelp("The reason.", valueName: "text"))
    var reason = ""

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws { try TextArgument.check(reason, .paragraphs, "reason") }

    func run() async throws {
      let words = (person.map { SafeText.line($0) } ?? "You are") + " signed on again"
      let connection = try await NodeConnection.open(home)
      let user = try await connection.person(named: person)
      try await connection.send(.signOn(user: user, reason: reason), words, wait: wait.seconds)
    }
  }

  struct Team: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set your team or, as command, the team of a person.",
      usage: "muster user team [<person>] <team> [--wait [<seconds>]]",
      discussion: """
        Example:  muster user team North
                  muster user team Ben North
                  muster user team Ben ""
        """)

    @Argument(help: "The person, by callsign or id. (default: you)", completion: .peopleAndTeams)
    var person: String?

    @Argument(help: "The name of the team, or \"\" for none.", completion: .teams)
    var team: String?

    @Option(help: ArgumentHelp("The old form of the person.", visibility: .hidden))
    var user: String?

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    private var words: PersonWords {
      get throws { try PersonWords(person, team, person: user, "team") }
    }

    func validate() throws {
      let team = try words.value
      if !team.isEmpty { try TextArgument.check(team, .line, "team") }
    }

    func run() async throws {
      let words = try words
      let connection = try await NodeConnection.open(home)
      if words.person == nil { try await refusePerson(words.value, connection) }
      let whose = words.person.map { "Team of \(SafeText.line($0))" } ?? "Team"
      try await connection.send(
        .setTeam(words.value, user: try await connection.person(named: words.person)),
        words.value.isEmpty ? "\(whose) removed" : "\(whose) set to \(SafeText.line(words.value))",
        wait: wait.seconds)
    }

    /// Throws `Refusal` for the name of a person, whose team was perhaps meant.
    private func refusePerson(_ name: String, _ connection: NodeConnection) async throws {
      guard case .users(let users) = try await connection.ask(.users),
        let person = users.first(where: { $0.callsign.lowercased() == name.lowercased() })
      else { return }
      let callsign = SafeText.line(person.callsign)
      throw Refusal(
        "\(callsign) is a person: give the team too, as in muster user team \(callsign) North")
    }
  }

  struct Clock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "State that the clock of a phone is behind.",
      discussion: """
        Example:  muster user clock Kim --behind 3h
                  muster user clock Kim --right

        Muster never takes a fix for newer than its time states. If the fixes of a phone are \
        always old, and you know that its clock is wrong, state by how much, at the laptop to \
        which it reports. --right takes it back, once the clock is right.
        """)

    @Argument(help: "The person, by callsign or id.", completion: .people)
    var person: String

    @Option(
      help: ArgumentHelp("By how much the clock is behind.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var behind: DurationArgument?

    @Flag(help: "The clock is right.")
    var right = false

    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      guard (behind == nil) == right else {
        throw ValidationError("give --behind with a duration, or --right")
      }
    }

    func run() async throws {
      guard let seconds = UInt32(exactly: behind?.seconds ?? 0) else {
        throw Refusal("--behind is too long: give less, or --right")
      }
      let connection = try await NodeConnection.open(home)
      let user = try await connection.person(named: person) as String
      _ = try await connection.change(.setPhoneClock(user: user, behindSeconds: seconds))
      let name = SafeText.line(person)
      try Standard.print(
        seconds == 0
          ? "The clock of \(name)'s phone counts as right"
          : "The clock of \(name)'s phone counts as \(ValueText.age(Int64(seconds))) behind")
    }
  }
}

extension PhoneSummary {
  /// What command needs to know about a phone: a line each.
  fileprivate func lines(of callsign: String) -> [String] {
    let name = SafeText.line(callsign)
    var lines: [String] = []
    if let alarm {
      lines.append(
        "\(name): alarm \(SafeText.line(alarm)) by the phone, "
          + "\(ValueText.age(alarmAgeSeconds)) ago")
    }
    if let lateBySeconds {
      lines.append(
        "\(name): the fixes are \(ValueText.age(lateBySeconds)) old, or the phone's clock is "
          + "wrong: ask, and see muster user clock")
    }
    if let reportsEverySeconds {
      lines.append(
        "\(name): reports only each \(ValueText.age(reportsEverySeconds)): change the app, or "
          + "muster settings set --user \(name) --silence")
    }
    if clockBehindSeconds > 0 {
      lines.append(
        "\(name): the phone's clock counts as \(ValueText.age(clockBehindSeconds)) behind")
    }
    lines += leftOut.map { "\(name): not used from the phone: \($0.reason) (\($0.count))" }
    return lines
  }
}
