internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ContactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "contact",
    abstract: "Manage the emergency contacts of the operation.",
    discussion: """
      Example:  muster contact add "Fire station" --phone 213924700 --at 38.7,-9.1

      Each alert of a danger to people shows the nearest contacts. Only command can change them. \
      A contact is named by its name, the beginning of its name, or the first four or more digits \
      of its id.
      """,
    subcommands: [Add.self, List.self, Edit.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an emergency contact, as command.",
      discussion: """
        Example:  muster contact add "Emergency number" --phone 112
                  muster contact add Hospital --phone 217805000 --note "day and night"

        Prints the id. An operation has at most 32 contacts.
        """)

    @Argument(help: "The name, one line.")
    var name: String

    @Option(help: ArgumentHelp("The phone number.", valueName: "number"))
    var phone: String

    @Option(
      help: ArgumentHelp(
        "The position: decimal degrees, or MGRS, UTM or degrees with letters in quotes.",
        valueName: "lat,lon"),
      transform: PlaceArgument.init(parsing:))
    var at: PlaceArgument?

    @OptionGroup var axisOrder: PlaceOptions

    @Option(help: ArgumentHelp("Such as the kind of service, one line.", valueName: "text"))
    var note = ""

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      try ContactCommand.check(
        EmergencyContact.fault(name: name), EmergencyContact.fault(phone: phone),
        EmergencyContact.fault(note: note))
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let draft = ContactDraft(
        name: name, phone: phone, note: note,
        position: try await axisOrder.position(at, by: connection))
      try await connection.create(.writeContact(.add(draft)), wait: wait.seconds) { reply in
        guard case .contactWritten(let id) = reply else { throw Refusal.unexpectedReply }
        try Standard.print(output.json ? JSON.object(["id": .id(id)]).text : "\(id)")
        return "Emergency contact \(SafeText.line(name)) added"
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the emergency contacts by name.",
      discussion: "Example:  muster contact list --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var coordinates: CoordinateOptions

    func run() async throws {
      guard case .contacts(let contacts) = try await NodeConnection.open(home).ask(.contacts)
      else { throw Refusal.unexpectedReply }
      if output.json { return try Standard.print(JSON.array(contacts.map(\.json)).text) }
      guard !contacts.isEmpty else { return try Standard.print("No emergency contacts.") }
      var table = Table(["ID", "NAME", "PHONE", "POSITION", "NOTE", "BY"], optional: ["BY"])
      for summary in contacts {
        let contact = summary.contact
        let phones = [contact.phone] + summary.otherPhones
        table.add([
          .init(contact.id.short), .init(contact.name, .strong),
          .init(phones.joined(separator: " or ")),
          .init(ValueText.place(contact.position, as: coordinates.format)),
          .init(contact.note), .init(summary.callsign),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change an emergency contact, as command.",
      discussion: """
        Example:  muster contact edit Hospital --phone 217805111
                  muster contact edit Hospital --no-at --note ""
        """)

    @Argument(help: "The contact, by name or id.", completion: .contacts)
    var contact: String

    @Option(help: ArgumentHelp("The new name, one line.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("The new phone number.", valueName: "number"))
    var phone: String?

    @Option(
      help: ArgumentHelp(
        "The new position: decimal degrees, or MGRS, UTM or degrees with letters in quotes.",
        valueName: "lat,lon"),
      transform: PlaceArgument.init(parsing:))
    var at: PlaceArgument?

    @OptionGroup var axisOrder: PlaceOptions

    @Flag(help: "Remove the position.")
    var noAt = false

    @Option(help: ArgumentHelp("The new note; \"\" removes it.", valueName: "text"))
    var note: String?

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      guard name != nil || phone != nil || at != nil || note != nil || noAt else {
        throw ValidationError("give what to change: --name, --phone, --at, --no-at or --note")
      }
      guard at == nil || !noAt else { throw ValidationError("give only one of --at and --no-at") }
      try ContactCommand.check(
        name.flatMap(EmergencyContact.fault(name:)),
        phone.flatMap(EmergencyContact.fault(phone:)),
        note.flatMap(EmergencyContact.fault(note:)))
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let found = try await connection.contact(named: contact)
      let changes = ContactChanges(
        name: name, phone: phone, note: note,
        position: try await axisOrder.position(at, by: connection), removesPosition: noAt)
      try await connection.send(
        .writeContact(.edit("\(found.id)", changes)),
        "Emergency contact \(SafeText.line(name ?? found.name)) changed", wait: wait.seconds)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove an emergency contact, as command.",
      discussion: "Example:  muster contact remove Hospital")

    @Argument(help: "The contact, by its whole name or its id.", completion: .contacts)
    var contact: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let found = try await connection.contact(named: contact, match: .whole)
      try await connection.send(
        .writeContact(.remove("\(found.id)")),
        "Emergency contact \(SafeText.line(found.name)) removed", wait: wait.seconds)
    }
  }

  fileprivate static func check(_ faults: String?...) throws(ValidationError) {
    if let fault = faults.compactMap(\.self).first { throw ValidationError(fault) }
  }
}
