internal import ArgumentParser
internal import Foundation
internal import MusterControl
internal import MusterInterchange
internal import MusterModel

struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook",
    abstract: "Post events and alerts to other systems.",
    discussion: """
      Example:  muster webhook add board https://board.example/hook --event enter

      Events are CloudEvents with the headers of Standard Webhooks (webhook-id, \
      webhook-timestamp, webhook-signature). They are delivered in order and at least once, with \
      the same id at each retry. Rejected events are listed by `webhook failed`. The node must be \
      running.
      """,
    subcommands: [Add.self, List.self, Keep.self, Remove.self, Failed.self, Retry.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add or change a webhook, and print its secret.",
      discussion: """
        Example:  muster webhook add board https://board.example/hook --user Ben
                  muster webhook add pager https://pager.example/ --event alert
                  muster webhook add mirror http://10.0.0.5:8080/ --dataset reports

        Without --event and --dataset, it posts all zone events. Alerts are those of `muster alert \
        list`: raised, acknowledged and cleared. An existing webhook keeps its place in the \
        stream and, on the same server, its secret. A secret is printed only once.
        """)

    @Argument(help: "A name for the webhook.")
    var name: String

    @Argument(help: "The https or http URL to post to.")
    var url: String

    @Option(help: "Post events of this type. May be repeated.")
    var event: [EventArgument] = []

    @Option(
      help: ArgumentHelp("Post only events of this zone. May be repeated.", valueName: "zone"),
      completion: .zones)
    var fence: [String] = []

    @Option(
      help: ArgumentHelp(
        "Post only events of this person. May be repeated.", valueName: "callsign"),
      completion: .people)
    var user: [String] = []

    @Option(help: "Post changes of this data set. May be repeated.")
    var dataset: [NameArgument<Dataset>] = []

    @Option(
      help: ArgumentHelp(
        "Read the secret from the first line of a file. (default: a new one)", valueName: "file"),
      completion: .file())
    var secretFile: String?

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    private static let mostSecretBytes = 4096

    func run() async throws {
      var members: [String: JSON] = [
        "url": .string(url), "fences": .strings(fence), "users": .strings(user),
        "datasets": .strings(dataset.map(\.value.name)),
      ]
      if !event.isEmpty { members["events"] = .strings(Set(event.map(\.name)).sorted()) }
      if let secretFile {
        let line = try InputFile.firstLine(of: secretFile, limit: Self.mostSecretBytes)
        members["secret"] = .string(String(decoding: line, as: UTF8.self))
      }
      let answer = try await WebhookCommand.ask(home, "PUT", [name], .object(members))
      if output.json { return try Standard.print(answer.text) }
      guard let secret = answer.members?["secret"]?.word else {
        return Standard.complain("the webhook was changed, and keeps its secret")
      }
      try Standard.print(secret)
      Standard.complain(
        "the line on standard output is the secret that signs posts: give it to the receiver")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all webhooks and their state.",
      discussion: "Example:  muster webhook list")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let items = try await WebhookCommand.items(home, [])
      if output.json { return try Standard.print(JSON.array(items).text) }
      guard !items.isEmpty else { return try Standard.print("No webhooks.") }
      var table = Table(["NAME", "URL", "EVENTS", "FAILED", "ERROR"])
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

  struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a webhook go on whose login was removed.",
      discussion: """
        Example:  muster webhook keep board

        A webhook that a login made posts nothing after the login was removed, until you confirm \
        it. It then posts what happened meanwhile.
        """)

    @Argument(help: "The name of the webhook.")
    var name: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws { _ = try await WebhookCommand.ask(home, "POST", [name, "keep"], nil) }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a webhook and its failed events.",
      discussion: "Example:  muster webhook remove board")

    @Argument(help: "The name of the webhook.")
    var name: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws { _ = try await WebhookCommand.ask(home, "DELETE", [name], nil) }
  }

  struct Failed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List events that the receiver rejected.",
      discussion: "Example:  muster webhook failed board")

    @Argument(help: "The name of the webhook.")
    var name: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let items = try await WebhookCommand.items(home, [name, "failed"])
      if output.json { return try Standard.print(JSON.array(items).text) }
      guard !items.isEmpty else { return try Standard.print("No failed events.") }
      var table = Table(["EVENT", "LAST ATTEMPT", "ATTEMPTS", "ERROR"])
      for members in items.compactMap(\.members) {
        table.add([
          .init(String((members["id"]?.word ?? "").prefix(8)), .strong),
          .init(times.format.text(rfc3339: members["failedAt"]?.word ?? "")),
          .init(members["attempts"]?.text ?? ""),
          .init(SafeText.line(members["reason"]?.word ?? "")),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Post failed events again: one, or all.",
      discussion: """
        Example:  muster webhook retry board
                  muster webhook retry board 3f9a
        """)

    @Argument(help: "The name of the webhook.")
    var name: String

    @Argument(
      help: "The event, by its id or the first digits of it.", transform: RowArgument.init(parsing:)
    )
    var event: RowArgument?

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let body = JSON.object(event.map { ["event": .string($0.prefix)] } ?? [:])
      let answer = try await WebhookCommand.ask(home, "POST", [name, "retry"], body)
      guard let count = answer.members?["retried"]?.text else { throw Refusal.unexpectedReply }
      try Standard.print("\(count) queued")
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

  /// Calls the HTTP API of the node, as any program can.
  fileprivate static func ask(
    _ home: HomeOptions, _ method: String, _ place: [String], _ body: JSON?
  ) async throws -> JSON {
    let client = try await NodeConnection.runningNode(of: home)
    let names = try place.map { name in
      guard !name.isEmpty,
        let name = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      else { throw Refusal("the name must have 1 to 64 letters, digits, - and _") }
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

/// The type of an event.
enum EventArgument: String, CaseIterable, ExpressibleByArgument {
  case enter
  case exit
  case alert

  var name: String { rawValue.uppercased() }
}
