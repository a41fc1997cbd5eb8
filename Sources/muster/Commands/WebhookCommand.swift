internal import ArgumentParser
internal import Foundation
internal import MusterControl
internal import MusterInterchange
internal import MusterModel

struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook",
    abstract: "Other systems that crossings, alerts and changes are posted to, signed.",
    discussion: """
      Example:  muster webhook add board https://board.example/hook --fence School --event enter

      Events are CloudEvents with headers of Standard Webhooks (webhook-id, webhook-timestamp, \
      webhook-signature). Each is posted at least once, with the same id each time, in order, \
      and again later and later while nobody answers. What the other side will not take is put \
      aside. The node must be running.
      """,
    subcommands: [Add.self, List.self, Remove.self, Failed.self, Retry.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Has events posted to a URL from now on, and prints the secret they are signed by.",
      discussion: """
        Example:  muster webhook add board https://board.example/hook --user Ben
                  muster webhook add pager https://pager.example/ --event alert
                  muster webhook add mirror http://10.0.0.5:8080/ --dataset reports

        Without --event and --dataset, all crossings. Alerts are this laptop's own, as \
        `muster alert list` shows them: raised, acknowledged and cleared. One that is there goes \
        on where it was, with its secret, by the new URL and rules.
        """)

    @Argument(help: "A name of your own.")
    var name: String

    @Argument(help: "Where to: https://host/path, or http.")
    var url: String

    @Option(help: "Crossings of this kind, or alerts; may be given again.")
    var event: [EventArgument] = []

    @Option(
      help: ArgumentHelp("Crossings of this fence, by name or id; again.", valueName: "fence"))
    var fence: [String] = []

    @Option(help: ArgumentHelp("Crossings of this person; again.", valueName: "callsign"))
    var user: [String] = []

    @Option(help: "Tells each new sync count of this set; again.")
    var dataset: [NameArgument<Dataset>] = []

    @Option(
      help: ArgumentHelp(
        "A file whose first line is the secret. (default: a new one)", valueName: "file"))
    var secretFile: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    private static let mostSecretBytes = 4096

    func run() async throws {
      var members: [String: JSON] = [
        "url": .string(url), "fences": .strings(fence), "users": .strings(user),
        "datasets": .strings(dataset.map(\.value.name)),
      ]
      if !event.isEmpty { members["events"] = .strings(Set(event.map(\.name)).sorted()) }
      if let secretFile {
        let data = try InputFile.data(of: secretFile, limit: Self.mostSecretBytes)
        let line = data.prefix { $0 != 0x0A && $0 != 0x0D }
        members["secret"] = .string(String(decoding: line, as: UTF8.self))
      }
      let answer = try await WebhookCommand.ask(home, "PUT", [name], .object(members))
      if output.json { return try Standard.print(answer.text) }
      try Standard.print(answer.members?["secret"]?.word ?? "")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists whom events are posted to, and how it goes.",
      discussion: "Example:  muster webhook list")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let items = try await WebhookCommand.items(home, [])
      if output.json { return try Standard.print(JSON.array(items).text) }
      guard !items.isEmpty else { return try Standard.print("None.") }
      var table = Table(["NAME", "URL", "POSTS", "NOT TAKEN", "TROUBLE"])
      for members in items.compactMap(\.members) {
        let rules = ["events", "datasets", "fences", "users"].flatMap { name in
          members[name]?.elements?.compactMap(\.word) ?? []
        }
        table.add([
          .init(SafeText.line(members["name"]?.word ?? ""), .strong),
          .init(SafeText.line(members["url"]?.word ?? "")),
          .init(SafeText.line(rules.joined(separator: " "))),
          .init(members["failed"]?.text ?? ""),
          .init(SafeText.line(members["trouble"]?.word ?? "")),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Posts nothing more there, and forgets what was not taken.",
      discussion: "Example:  muster webhook remove board")

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var home: HomeOptions

    func run() async throws { _ = try await WebhookCommand.ask(home, "DELETE", [name], nil) }
  }

  struct Failed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists what the other side would not take.",
      discussion: "Example:  muster webhook failed board")

    @Argument(help: "Its name.")
    var name: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let items = try await WebhookCommand.items(home, [name, "failed"])
      if output.json { return try Standard.print(JSON.array(items).text) }
      guard !items.isEmpty else { return try Standard.print("All was taken.") }
      var table = Table(["EVENT", "LAST TRIED", "TIMES", "WHY"])
      for members in items.compactMap(\.members) {
        table.add([
          .init(String((members["id"]?.word ?? "").prefix(8)), .strong),
          .init(SafeText.line(members["failedAt"]?.word ?? "")),
          .init(members["attempts"]?.text ?? ""),
          .init(SafeText.line(members["reason"]?.word ?? "")),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Posts again what was not taken: one event, or all.",
      discussion: """
        Example:  muster webhook retry board
                  muster webhook retry board 3f9a
        """)

    @Argument(help: "Its name.")
    var name: String

    @Argument(help: "The event.", transform: RowArgument.init(parsing:))
    var event: RowArgument?

    @OptionGroup var home: HomeOptions

    func run() async throws {
      let body = JSON.object(event.map { ["event": .string($0.prefix)] } ?? [:])
      let answer = try await WebhookCommand.ask(home, "POST", [name, "retry"], body)
      guard let count = answer.members?["retried"]?.text else { throw Refusal.unexpectedReply }
      try Standard.print("\(count) to be posted again")
    }
  }

  // MARK: The node

  private static let path = "/api/v1/webhooks"

  fileprivate static func items(_ home: HomeOptions, _ place: [String]) async throws -> [JSON] {
    guard let items = try await ask(home, "GET", place, nil).members?["items"]?.elements else {
      throw Refusal.unexpectedReply
    }
    return items
  }

  /// By the API, as any program would.
  fileprivate static func ask(
    _ home: HomeOptions, _ method: String, _ place: [String], _ body: JSON?
  ) async throws -> JSON {
    let client = try await Door.runningNode(of: home)
    let names = try place.map { name in
      guard !name.isEmpty,
        let name = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      else { throw Refusal("a name has up to 64 letters, digits, - and _") }
      return name
    }
    let answer = try await client.ask(
      method, ([path] + names).joined(separator: "/"), json: body.map { Array($0.text.utf8) })
    guard !answer.isEmpty else { return .null }
    do {
      return try JSON.read(answer)
    } catch {
      throw Refusal.unexpectedReply
    }
  }
}

/// Which way somebody crossed, or that something is the matter.
enum EventArgument: String, CaseIterable, ExpressibleByArgument {
  case enter
  case exit
  case alert

  var name: String { rawValue.uppercased() }
}
