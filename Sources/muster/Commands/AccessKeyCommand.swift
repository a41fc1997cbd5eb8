internal import ArgumentParser
internal import MusterAmazon
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct AccessKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access-key",
    abstract: "Manage access keys of programs for Amazon services.",
    discussion: """
      Example:  muster access-key create --rights member --user Maria

      A program for Amazon Location or Cognito Sync signs its requests with an access key. Its \
      rights are the lesser of the key's and of this laptop's role. It works while its person is \
      signed on, and ends when a device of theirs is revoked. audit.log in the home records what \
      is written.
      """,
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an access key, and print its secret once.",
      discussion: """
        Example:  muster access-key create --rights member --user Maria
                  muster access-key create --rights command --user Anna

        observer reads; member also writes the person's records, sends positions and creates \
        trackers; command also writes geofences.
        """)

    @Option(help: "What the key permits.")
    var rights = NameArgument(AccessKey.Rights.observer)

    @Option(
      help: ArgumentHelp("The person that the key belongs to.", valueName: "callsign"),
      completion: .people)
    var user: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let node = try await NodeConnection.open(home)
      guard case .users(let people) = try await node.ask(.users),
        case .status(let status) = try await node.ask(.status),
        case .devices(let devices) = try await node.ask(.devices)
      else { throw Refusal.unexpectedReply }
      let person = try ItemResolver.people.item(
        named: user, in: people.filter { !$0.isTracker && !$0.isUnknown }, match: .whole)
      let key = AccessKey(
        rights: rights.value, user: person.id,
        revokedDevices: devices.count { $0.user == person.id && $0.isRevoked },
        now: SystemClock.wall)
      try AccessKeyFile(in: home.folders.path).add(key)
      if output.json {
        let json = JSON.object([
          "id": .string(key.id), "secret": .string(key.secret),
          "rights": .string(key.rights.rawValue), "user": .id(key.user),
          "identityPoolId": .string(SyncIdentity.pool(status.operation)),
          "identityId": .string(SyncIdentity.identity(key.user)),
        ])
        return try Standard.print(json.text)
      }
      try Standard.print(
        "aws_access_key_id = \(key.id)\naws_secret_access_key = \(key.secret)")
      Standard.complain(
        "created for \(SafeText.line(person.callsign)), \(key.rights.rawValue); the secret is not "
          + "shown again")
      Standard.complain(
        "for Cognito Sync: identity pool \(SyncIdentity.pool(status.operation)), identity "
          + "\(SyncIdentity.identity(key.user))")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all access keys, without their secrets.",
      discussion: "Example:  muster access-key list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let keys = try AccessKeyFile(in: home.folders.path).read()
      let names = keys.isEmpty ? [:] : await LoginCommand.List.callsigns(in: home)
      if output.json {
        let items = keys.map { key in
          JSON.object([
            "id": .string(key.id), "rights": .string(key.rights.rawValue), "user": .id(key.user),
            "callsign": .known(names[key.user], JSON.string), "createdAt": .time(key.createdAt),
          ])
        }
        return try Standard.print(JSON.array(items).text)
      }
      var table = Table(["ID", "RIGHTS", "PERSON"])
      for key in keys {
        table.add([
          .init(key.id, .strong), .init(key.rights.rawValue),
          .init(names[key.user] ?? key.user.short),
        ])
      }
      try Standard.print(keys.isEmpty ? "No access keys." : table.text(on: .current))
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke an access key at once.",
      discussion: "Example:  muster access-key revoke MSTRABCDEFGHIJKLMNOP")

    @Argument(help: "The id of the key.")
    var id: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws { try AccessKeyFile(in: home.folders.path).revoke(id) }
  }
}
