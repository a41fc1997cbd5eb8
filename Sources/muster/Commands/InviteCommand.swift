internal import ArgumentParser
internal import MusterControl
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Invite devices by a URL and a QR code.",
    discussion: """
      Example:  muster invite --role member --uses 5 --expires 2h
                muster invite list
                muster invite withdraw 3f9a

      Without a subcommand it creates an invite: `muster invite create --help` lists the options.
      """,
    subcommands: [Create.self, List.self, Withdraw.self],
    defaultSubcommand: Create.self)

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an invite: a URL and a QR code.",
      discussion: """
        Example:  muster invite --role member --uses 5 --expires 2h

        Anyone with the URL can join until it expires, is used up or is withdrawn: show it only \
        to the people that you invite. Keep `muster run` running on this laptop, in reach, while \
        they join.

        A person who already has a laptop, or had one, and receives another one:
          muster invite --user Anna

        A person on the roster, who then has the name, team and role that it states:
          muster invite --for "Rui Costa"
        """)

    @Option(help: "The role of devices that join. (default: that on the roster, else member)")
    var role: NameArgument<Role>?

    @Option(
      help: ArgumentHelp(
        "The person who receives another device.", valueName: "callsign"), completion: .people)
    var user: String?

    @Option(
      name: .customLong("for"),
      help: ArgumentHelp("The person on the roster who joins.", valueName: "name"))
    var expected: String?

    @Option(help: ArgumentHelp("The number of devices that can join, 1 to 1000.", valueName: "n"))
    var uses = 1

    @Option(
      help: ArgumentHelp(
        "The time until it expires: 90s, 15m, 7d. (default: 24h)", valueName: "time"),
      transform: DurationArgument.init(parsing:))
    var expires = DurationArgument.day

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func validate() throws {
      guard (1...1000).contains(uses) else {
        throw ValidationError("--uses must be from 1 to 1000")
      }
      guard user == nil || expected == nil else {
        throw ValidationError("give only one of --user and --for")
      }
      guard user == nil && expected == nil || uses == 1 else {
        throw ValidationError("--user and --for permit one use")
      }
    }

    func run() async throws {
      // Only a running node has the addresses that the new device must contact.
      let connection = NodeConnection.running(try await NodeConnection.runningNode(of: home))
      let person = try await expected(by: connection)
      let command = Command.invite(
        role: role?.value ?? person?.role ?? .member, user: person.map { "\($0.id)" } ?? user,
        uses: uses, validSeconds: expires.seconds)
      guard
        case .invitation(let bytes, let id, let role, let expiresAt) =
          try await connection.ask(command)
      else { throw Refusal.unexpectedReply }
      let invitation = InvitationURL(bytes.bytes)
      let address = await listener()
      if output.json {
        return try Standard.print(
          invitation.json(id: id, role: role, expiresAt: expiresAt, address: address).text)
      }
      let url = invitation.text
      let screen = Screen.current
      guard screen.isTerminal else { return try Standard.print(url) }
      try show([address.flatMap { invitation.link(at: $0, role: role) }, url], on: screen)
      try Standard.print(
        """
        For \(audience(person)) of role \(role.name), until \
        \(times.format.text(expiresAt)). On the other laptop:

        muster join '\(url)' --callsign NAME

        If it is lost: muster invite withdraw \(id.short)
        """)
    }

    private func expected(by connection: NodeConnection) async throws -> RosterPerson? {
      guard let expected else { return nil }
      let person = try await connection.expected(named: expected)
      guard !person.hasArrived else {
        throw Refusal(
          "\(SafeText.line(person.entry.name)) has arrived: for another device, give --user")
      }
      return person
    }

    private func audience(_ person: RosterPerson?) -> String {
      if let person { return "a device of \(SafeText.line(person.entry.name))" }
      return user.map { "another device of \(SafeText.line($0))" }
        ?? ValueText.count(uses, "device", "devices")
    }

    /// Where other machines reach the node; nil without `muster run --serve`.
    private func listener() async -> String? {
      do {
        let client = ControlClient(path: try ControlSocketPath(home.folders.socketPath))
        return try JSON.read(await client.ask("GET", "/api/v1/logins", json: nil))
          .members?["address"]?.word
      } catch {
        // The invite exists, and its URL needs no listener.
        return nil
      }
    }

    /// Prints the QR code of the first text whose code fits: a link opens with any camera.
    private func show(_ texts: [String?], on screen: Screen) throws {
      let codes = texts.compactMap { $0.flatMap(QRCode.init) }
      guard let least = codes.last else { return }
      guard let code = codes.first(where: { $0.columns <= screen.columns ?? .max }) else {
        return Standard.complain("the QR code needs a terminal of \(least.columns) columns")
      }
      for line in code.lines { try Standard.print(line) }
      try Standard.print("")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the invites of this laptop.",
      discussion: """
        Example:  muster invite list

        Invites stay listed for a week after they expire, with the devices that joined by them. \
        Only the laptop that made an invite lists it and admits devices by it.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      guard case .invites(let invites) = try await connection.ask(.invites) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(invites.map(\.json)).text) }
      guard !invites.isEmpty else { return try Standard.print("No invites.") }
      let names = try await connection.joined(by: invites)
      var table = Table(["ID", "ROLE", "STATE", "LEFT", "EXPIRES", "JOINED"], optional: ["JOINED"])
      for invite in invites {
        table.add([
          .init(invite.id.short), .init(invite.role.name),
          .init(invite.state.name, invite.state == .open ? .strong : .plain),
          .init("\(invite.usesLeft)"), .init(times.format.text(invite.expiresAt)),
          .init(invite.devices.compactMap { names[$0] }.joined(separator: ", ")),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Withdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Withdraw an invite, such as a lost paper.",
      discussion: """
        Example:  muster invite withdraw 3f9a

        No further device joins by it, from now on. Devices that joined before stay: revoke those \
        that you do not know. Withdraw an invite on the laptop that made it: no other one admits \
        devices by it.
        """)

    @Argument(help: "The invite: its id, or four or more digits of it.")
    var id: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      // Nothing is to be sent: this laptop alone admits devices by it.
      guard case .invites(let invites) = try await connection.ask(.withdrawInvite(id)),
        let invite = invites.first
      else { throw Refusal.unexpectedReply }
      if output.json { return try Standard.print(invite.json.text) }
      let names = try await connection.joined(by: invites)
      let joined = invite.devices.compactMap { names[$0] }
      try Standard.print(
        "Invite \(invite.id.short) withdrawn. "
          + (joined.isEmpty
            ? "No device joined by it."
            : "Joined by it before: \(joined.joined(separator: ", ")). Revoke a device that you "
              + "do not know: muster revoke ID"))
    }
  }
}

extension NodeConnection {
  /// Returns the devices that joined by invites, as callsign and id. A device has no callsign
  /// before its node was started.
  fileprivate func joined(by invites: [InviteSummary]) async throws -> [DeviceID: String] {
    guard invites.contains(where: { !$0.devices.isEmpty }) else { return [:] }
    guard case .devices(let devices) = try await ask(.devices) else {
      throw Refusal.unexpectedReply
    }
    let known = devices.filter { $0.callsign != $0.user.short }
    let names = Dictionary(known.map { ($0.id, $0.callsign) }) { first, _ in first }
    let joined = Set(invites.flatMap(\.devices))
    return Dictionary(
      uniqueKeysWithValues: joined.map { id in
        (
          id,
          names[id].map { "\(SafeText.line($0)) \(id.short)" } ?? "\(id.short) (no callsign yet)"
        )
      })
  }
}

extension DurationArgument {
  fileprivate static let day = DurationArgument(seconds: 86_400)
}
