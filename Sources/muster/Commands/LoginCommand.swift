internal import ArgumentParser
internal import MusterHTTP
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Who may come in from other machines, by TLS and a passphrase.",
    discussion: """
      Example:  muster login add Maria --rights observer

      What they write is signed by this laptop's own device; audit.log in the home says who it \
      was. On this machine itself nobody needs a login.
      """,
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets somebody in, or gives them another passphrase.",
      discussion: """
        Example:  muster login add Maria --rights observer
                  muster login add Maria --rights command --user Maria
                  pwgen 20 1 | muster login add Maria --passphrase-file -

        Their passphrase is asked for, or the first line of --passphrase-file (- is standard \
        input); it has nothing to do with that of this laptop's keys.
        """)

    @Argument(help: "What they are called.")
    var name: String

    @Option(help: "All that this laptop may do, or reading alone.")
    var rights: RightsArgument = .observer

    @Option(
      help: ArgumentHelp(
        "The person for whom the login speaks, by callsign or id. Without one it cannot say "
          + "that somebody is safe or needs help.", valueName: "callsign"))
    var user: String?

    @OptionGroup var home: HomeOptions

    func validate() throws { try TextArgument.check(name, .line, "name") }

    func run() async throws {
      guard home.folders.exists else { throw Refusal("there is no node in \(home.folders.path)") }
      let bound = try await bound()
      let login = try Login(
        name: name, rights: rights.rights, user: bound?.id, passphrase: try passphrase().bytes)
      try LoginFile(in: home.folders.path).add(login)
      let words = bound.map { ", who speaks for \(SafeText.line($0.callsign))" } ?? ""
      try Standard.print("Login \(SafeText.line(name)) added: \(rights.rawValue)\(words)")
    }

    /// The person that is meant, who must be known here.
    private func bound() async throws -> UserSummary? {
      guard let user else { return nil }
      guard case .users(let people) = try await Door.open(home).ask(.users) else {
        throw Refusal.unexpectedReply
      }
      let prefix = IdentifierPrefix(user)
      let named = people.filter { !$0.isTracker && $0.callsign == user }
      let found =
        named.isEmpty
        ? people.filter { !$0.isTracker && prefix?.begins($0.id) ?? false } : named
      guard found.count <= 1 else {
        let ids = found.map(\.id.short).sorted().joined(separator: ", ")
        throw Refusal("\(found.count) people are called \(user): name one by its id, \(ids)")
      }
      guard let person = found.first else {
        throw Refusal("nobody is called \(user): see muster user list")
      }
      return person
    }

    private func passphrase() throws -> Passphrase {
      // No key of this laptop's is needed here, so the option is free for theirs.
      if let passphraseFile = home.passphraseFile {
        let path = passphraseFile == "-" ? "/dev/stdin" : passphraseFile
        let data = try InputFile.data(of: path, limit: Passphrase.mostBytes)
        return try Passphrase(Array(data.prefix { $0 != 0x0A && $0 != 0x0D }))
      }
      guard let typed = try Passphrase.ask("A passphrase for \(SafeText.line(name)): ") else {
        throw Refusal("there is no terminal to ask on: give --passphrase-file")
      }
      guard try Passphrase.ask("Once more: ") == typed else {
        throw Refusal("the two are not the same")
      }
      return typed
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists who may log in.",
      discussion: "Example:  muster login list")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let logins = try LoginFile(in: home.folders.path).read()
      if output.json {
        let items = logins.map { login in
          JSON.object([
            "name": .string(login.name), "rights": .string(login.rights.rawValue),
            "user": .known(login.user, JSON.id),
          ])
        }
        return try Standard.print(JSON.array(items).text)
      }
      guard !logins.isEmpty else { return try Standard.print("Nobody.") }
      var table = Table(["NAME", "RIGHTS", "SPEAKS FOR"])
      for login in logins {
        table.add([
          .init(login.name, .strong), .init(login.rights.rawValue),
          .init(login.user.map(\.short) ?? "nobody"),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets somebody in no more; sessions of theirs end at once.",
      discussion: "Example:  muster login remove Maria")

    @Argument(help: "What they are called.")
    var name: String

    @OptionGroup var home: HomeOptions

    func run() async throws { try LoginFile(in: home.folders.path).remove(name) }
  }
}

/// What a login may do.
enum RightsArgument: String, CaseIterable, ExpressibleByArgument {
  case command
  case observer

  var rights: Login.Rights { self == .command ? .command : .observer }
}
