internal import ArgumentParser
internal import MusterControl
internal import MusterHTTP
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Manage logins for remote access over TLS.",
    discussion: """
      Example:  muster login add Maria --rights observer

      A login is a name and a passphrase for the dashboard and API under `muster run --serve`. \
      Changes are signed by this device; audit.log in the home records the login. Programs on \
      this machine need no login.
      """,
    subcommands: [
      Add.self, List.self, Remove.self, Devices.self, RevokeDevice.self, RestoreDevice.self,
    ])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a login, or change its passphrase.",
      discussion: """
        Example:  muster login add Maria --rights observer
                  muster login add Maria --rights command --user Maria
                  muster login add Rui --rights member --phone
                  pwgen 20 1 | muster login add Maria --passphrase-file -

        Asks for the passphrase of the login, at least \(Login.fewestCharacters) characters, or \
        reads the first line of --passphrase-file. The passphrase of this laptop's keys is another \
        one: with --user and encrypted keys, set MUSTER_PASSPHRASE. Phones of a login that is \
        changed only call for help, until their users log in again.
        """)

    @Argument(help: "The name of the login.")
    var name: String

    @Option(help: "Full access, add reports, or read only.")
    var rights = NameArgument(Login.Rights.observer)

    @Option(
      help: ArgumentHelp(
        "The person that the login belongs to. Without one, it cannot report a safety status.",
        valueName: "callsign"), completion: .people)
    var user: String?

    @Flag(
      help: """
        The login is for the phone of a person without a laptop, who is listed under its name.
        """)
    var phone = false

    @Option(
      help: ArgumentHelp(
        "Read the passphrase of the login; \"-\" is standard input. (default: ask)",
        valueName: "file"), completion: .file())
    var passphraseFile: String?

    @OptionGroup(title: "Node") var folder: FolderOptions

    func validate() throws {
      try TextArgument.check(name, .line, "name")
      guard user == nil || !phone else {
        throw ValidationError("give --user for a person with a laptop, or --phone for one without")
      }
    }

    func run() async throws {
      let home = folder.home
      guard home.folders.exists else {
        throw Refusal("there is no node in \(home.folders.path): run `muster init`, or give --home")
      }
      let bound = try await bound()
      let login = try Login(
        name: name, rights: rights.value, user: bound?.id, isPhone: phone,
        passphrase: try passphrase().bytes)
      try LoginFile(in: home.folders.path).add(login)
      let words =
        phone ? ", for a phone" : bound.map { ", belongs to \(SafeText.line($0.callsign))" } ?? ""
      try Standard.print("Login \(SafeText.line(name)) added: \(rights.value.name)\(words)")
    }

    /// The person that the login belongs to.
    private func bound() async throws -> UserSummary? {
      guard let user else { return nil }
      guard case .users(let people) = try await NodeConnection.open(folder.home).ask(.users) else {
        throw Refusal.unexpectedReply
      }
      return try ItemResolver.people.item(
        named: user, in: people.filter { !$0.isTracker && !$0.isUnknown }, match: .whole)
    }

    private func passphrase() throws -> Passphrase {
      if let passphraseFile {
        let path = passphraseFile == "-" ? "/dev/stdin" : passphraseFile
        return try Passphrase(InputFile.firstLine(of: path, limit: Passphrase.mostFileBytes))
      }
      guard let typed = try Passphrase.ask("Passphrase for \(SafeText.line(name)): ") else {
        throw Refusal("there is no terminal to ask for the passphrase: give --passphrase-file")
      }
      guard try Passphrase.ask("Repeat the passphrase: ") == typed else {
        throw Refusal("the two passphrases differ: nothing was changed. Run the command again")
      }
      return typed
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all logins.",
      discussion: "Example:  muster login list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let logins = try LoginFile(in: home.folders.path).read()
      let names = logins.contains { $0.user != nil } ? await Self.callsigns(in: home) : [:]
      if output.json {
        let items = logins.map { login in login.listed(as: login.user.flatMap { names[$0] }) }
        return try Standard.print(JSON.array(items).text)
      }
      try Standard.print(logins.isEmpty ? "No logins." : table(of: logins, names))
      for (clients, fingerprint) in try FingerprintFile(in: home.folders).read()?.labelled ?? [] {
        let lines =
          Screen.current.columns.map { WrappedText(fingerprint, width: $0).lines } ?? [fingerprint]
        try Standard.print(
          "\nSHA-256 fingerprint of the certificate for \(clients):\n"
            + lines.joined(separator: "\n"))
      }
    }

    private func table(of logins: [Login], _ names: [UserID: String]) -> String {
      var table = Table(["NAME", "RIGHTS", "PERSON"])
      for login in logins {
        table.add([
          .init(login.name, .strong), .init(login.rights.rawValue),
          .init(login.isPhone ? "phone" : login.user.map { names[$0] ?? $0.short } ?? "–"),
        ])
      }
      return table.text(on: .current)
    }

    /// The callsigns of all people; none if the node cannot be asked, for example because its keys
    /// are encrypted.
    static func callsigns(in home: HomeOptions) async -> [UserID: String] {
      do {
        guard case .users(let people) = try await NodeConnection.open(home).ask(.users) else {
          return [:]
        }
        return Dictionary(people.map { ($0.id, $0.callsign) }) { first, _ in first }
      } catch {
        return [:]
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a login; its phones may call for help once.",
      discussion: """
        Example:  muster login remove Maria
                  muster login remove Maria --stolen

        Its sessions end, and the invites that it made are withdrawn. The webhooks that it made \
        wait until you confirm them (`muster webhook keep`); with --stolen they are removed. \
        Devices that joined by its invites are named: `muster revoke` ends them.
        """)

    @Argument(help: "The name of the login.")
    var name: String

    @Flag(help: "Also remove the webhooks that it made.")
    var stolen = false

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let ended = try LoginFile(in: home.folders.path).remove(name, asStolen: stolen)
      for grant in ended {
        switch grant.kind {
        case .invite:
          try Standard.print("Withdrawn: invite \(grant.id.prefix(8)) (\(grant.note))")
        case .webhook:
          let name = SafeText.line(grant.id)
          try Standard.print(
            stolen
              ? "Removed: webhook \(name)"
              : "Paused: webhook \(name) to \(SafeText.line(grant.note)). To go on: "
                + "muster webhook keep \(name)")
        }
      }
      try await end(ended.filter { $0.kind == .invite }.map(\.id))
    }

    /// Withdraws invites at the running node, and names the devices that joined by them. A node
    /// that does not run withdraws them when it starts.
    private func end(_ invites: [String]) async throws {
      guard !invites.isEmpty else { return }
      guard try await ControlClient(path: ControlSocketPath(home.folders.socketPath)).isListening()
      else {
        return try Standard.print("Devices that joined by these invites: muster invite list")
      }
      let connection = try await NodeConnection.open(home)
      for invite in invites {
        // One that was used or has expired is over too.
        do { _ = try await connection.ask(.withdrawInvite(invite)) } catch is Refusal { continue }
      }
      guard case .invites(let all) = try await connection.ask(.invites),
        case .devices(let devices) = try await connection.ask(.devices)
      else { throw Refusal.unexpectedReply }
      let joined = Set(all.filter { invites.contains("\($0.id)") }.flatMap(\.devices))
      for device in devices where joined.contains(device.id) && !device.isRevoked {
        try Standard.print(
          "Joined by its invite: \(SafeText.line(device.callsign))'s device \(device.id.short). "
            + "To end it: muster revoke \(device.id.short)")
      }
    }
  }
}
