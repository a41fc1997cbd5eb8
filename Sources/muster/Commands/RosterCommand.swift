internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct RosterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "roster",
    abstract: "Manage the people that command expects.",
    discussion: """
      Example:  muster roster import people.csv
                muster roster list
                muster invite --for "Rui Costa"
                muster roster arrive "Rui Costa" --as 3f9a

      People on the roster are *not arrived*: no order, roll call or alarm concerns them, until \
      they join by an invite that was made for them, or command states that they arrived. Only \
      command can change the roster.
      """,
    subcommands: [
      Import.self, List.self, Arrive.self, Expect.self, Remove.self, Export.self,
    ])

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the people of a CSV file, as command.",
      discussion: """
        Example:  muster roster import people.csv

        The columns are name, team, role and phone, by their headings in five languages or in \
        this order, separated by commas, semicolons or tabs. What cannot be used is left out and \
        named. A person of the same name is changed. Every device of the operation stores the \
        phone numbers.
        """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Add no one if anything must be left out.")
    var strict = false

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let roster = RosterFile(
        try InputFile.bytes(of: file, limit: RosterFile.maximumBytes))
      try ImportedFile.check(roster.outcome, of: file, isStrict: strict, "person")
      let connection = try await NodeConnection.open(home)
      let confirmation = try await WriteConfirmation(wait: wait.seconds, connection: connection)
      guard
        case .rosterWritten(let outcome) = try await connection.ask(
          .writeRoster(.add(roster.entries)))
      else { throw Refusal.unexpectedReply }
      if output.json {
        try Standard.print(
          JSON.object([
            "added": .count(outcome.added), "changed": .count(outcome.changed),
            "import": roster.outcome.json,
          ]).text)
      }
      if let text = roster.outcome.omissionText { Standard.complain(text) }
      let added = ValueText.count(outcome.added, "person", "people") + " added"
      let changed = outcome.changed == 0 ? "" : ", \(outcome.changed) changed"
      Standard.complain(await connection.withReach(added + changed))
      if roster.entries.contains(where: { !$0.phone.isEmpty }) {
        Standard.complain("every device of the operation stores their phone numbers")
      }
      if let text = try await confirmation?.text() { Standard.complain(text) }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the roster by name, with who may have arrived.",
      discussion: "Example:  muster roster list --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let people = try await NodeConnection.open(home).roster()
      if output.json { return try Standard.print(JSON.array(people.map(\.json)).text) }
      guard !people.isEmpty else { return try Standard.print("No one is on the roster.") }
      var table = Table(["ID", "NAME", "TEAM", "ROLE", "PHONE", "STATE"])
      for person in people {
        let entry = person.entry
        table.add([
          .init(person.id.short), .init(entry.name, .strong), .init(entry.team),
          .init(entry.function), .init(entry.phone), state(of: person),
        ])
      }
      try Standard.print(table.text(on: .current))
      let expected = people.count { !$0.hasArrived }
      try Standard.print(
        "\n\(expected) of \(ValueText.count(people.count, "person", "people")) not arrived")
    }

    private func state(of person: RosterPerson) -> Table.Cell {
      guard !person.hasArrived else { return .init("arrived", .good) }
      let names = person.namesakes.map { "\($0.callsign) \($0.id.short)" }
      return names.isEmpty
        ? .init("not arrived")
        : .init("not arrived; is it \(names.joined(separator: " or "))?", .doubtful)
    }
  }

  struct Arrive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "State that a person arrived, as command.",
      discussion: """
        Example:  muster roster arrive "Rui Costa" --as 3f9a
                  muster roster arrive "Ada Lima" --without-device

        A person who takes part already, with a laptop or a phone, is confirmed by --as. One \
        --without-device is listed with the people, and can be accounted for by command.
        """)

    @Argument(help: "The person on the roster, by name or id.")
    var person: String

    @Option(
      name: .customLong("as"),
      help: ArgumentHelp("Who of those who take part it is.", valueName: "callsign"),
      completion: .people)
    var known: String?

    @Flag(help: "The person has neither a laptop nor a phone here.")
    var withoutDevice = false

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      guard (known != nil) != withoutDevice else {
        throw ValidationError("give one of --as CALLSIGN and --without-device")
      }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let found = try await connection.expected(named: person)
      let other = try await connection.person(named: known).flatMap { UserID(hex: $0) }
      try await connection.send(
        .writeRoster(.arrive("\(found.id)", as: other)),
        "\(SafeText.line(found.entry.name)) arrived", wait: wait.seconds)
    }
  }

  struct Expect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Withdraw that a person arrived, as command.",
      discussion: "Example:  muster roster expect \"Rui Costa\"")

    @Argument(help: "The person on the roster, by name or id.")
    var person: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let found = try await connection.expected(named: person)
      try await connection.send(
        .writeRoster(.expect("\(found.id)")),
        "\(SafeText.line(found.entry.name)) is not arrived again", wait: wait.seconds)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a person with the phone number, as command.",
      discussion: """
        Example:  muster roster remove "Rui Costa"

        Who has a device stays in the operation.
        """)

    @Argument(help: "The person on the roster, by the whole name or the id.")
    var person: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let found = try await connection.expected(named: person, match: .whole)
      try await connection.send(
        .writeRoster(.remove("\(found.id)")),
        "\(SafeText.line(found.entry.name)) removed from the roster", wait: wait.seconds)
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the roster as CSV, without phone numbers.",
      discussion: """
        Example:  muster roster export > roster.csv
                  muster roster export --phones > roster.csv
        """)

    @Flag(help: "With the phone numbers.")
    var phones = false

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let people = try await NodeConnection.open(home).roster()
      let text = OperationExport.byteOrderMark + RosterFile.csv(people, withPhones: phones)
      try Standard.write(Array(text.utf8))
    }
  }
}

extension NodeConnection {
  func roster() async throws -> [RosterPerson] {
    guard case .roster(let people) = try await ask(.roster) else { throw Refusal.unexpectedReply }
    return people
  }

  func expected(
    named text: String, match: ItemResolver<RosterPerson>.Match = .beginning
  ) async throws -> RosterPerson {
    try ItemResolver.roster.item(named: text, in: await roster(), match: match)
  }
}
