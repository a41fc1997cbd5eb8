internal import ArgumentParser
internal import MusterArchive
internal import MusterInterchange
internal import MusterModel

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Manage the access tokens of agencies.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create",
      abstract: "Create a token and print it once.",
      discussion: """
        Example:  muster-archive token create "County fire" --operation "River flood"
        """)

    @Argument(help: ArgumentHelp("Who will use it.", valueName: "agency"))
    var agency: String

    @Option(
      name: .customLong("operation"),
      help: ArgumentHelp(
        "An operation that it may read, by name or first digits of the id; repeat for more.",
        valueName: "name"))
    var operations: [String] = []

    @Flag(help: "It may read all operations, also later ones.")
    var allOperations = false

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Print JSON for programs.") var json = false

    func validate() throws {
      guard operations.isEmpty == allOperations else {
        throw ValidationError("give --operation, or --all-operations")
      }
      if let fault = TextRule.line.fault(in: agency) {
        throw ValidationError("the name of the agency \(fault)")
      }
    }

    func run() throws {
      let (token, text) = try database.open().accessTokens.create(
        for: agency, operations: allOperations ? nil : operations, secret: Seed.drawn())
      if json {
        return Standard.print(token.json.adding(["token": .string(text)]).text)
      }
      Standard.print(text)
      Standard.complain("token \(token.id) of \(agency): copy it now, it is not stored")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the tokens, without their secrets.")

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Print JSON for programs.") var json = false

    func run() throws {
      let archive = try database.open()
      let tokens = try archive.accessTokens.all()
      if json { return Standard.print(JSON.array(tokens.map(\.json)).text) }
      if tokens.isEmpty { Standard.print("No tokens: run `muster-archive token create`.") }
      for token in tokens {
        let operations =
          token.operations.map { $0.map(\.short).joined(separator: ", ") } ?? "all operations"
        let state = token.revokedAt.map { "revoked \($0)" } ?? "created \(token.createdAt)"
        Standard.print("\(token.id)  \(token.agency)  \(operations)  \(state)")
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a token, at once.")

    @Argument(help: ArgumentHelp("The id of the token, as `token list` shows it.", valueName: "id"))
    var id: String

    @OptionGroup var database: DatabaseOptions

    func run() throws {
      try database.open().accessTokens.revoke(id)
      Standard.print("Revoked \(id).")
    }
  }
}

extension AccessToken {
  fileprivate var json: JSON {
    .object([
      "id": .string(id), "agency": .string(agency),
      "operations": .known(operations) { .array($0.map(JSON.id)) },
      "createdAt": .string(createdAt), "revokedAt": .known(revokedAt, JSON.string),
    ])
  }
}
