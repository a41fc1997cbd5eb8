internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "List and decide calls for help of unproven callers.",
    discussion: """
      Example:  muster call confirm 3f9a --person Rui

      A call is unverified if it came by the token of a removed login, by the shared token of \
      phones in the name of a person with a login or a laptop, or beyond a bound. It changes no \
      status until command confirms who called.
      """,
    subcommands: [List.self, Confirm.self, Close.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the open calls, the newest first.",
      discussion: "Example:  muster call list --all")

    @Flag(help: "Also list the newest calls that have ended.")
    var all = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let calls = try await NodeConnection.open(home).unverifiedCalls(includesEnded: all)
      if output.json { return try Standard.print(calls.json.text) }
      guard !calls.items.isEmpty else { return try Standard.print("No unverified calls.") }
      var table = Table(
        ["ID", "NAME", "WHY", "FROM", "MADE", "RECEIVED", "PLACE", "NOTE", "STATE"],
        optional: ["PLACE", "FROM", "MADE"])
      for call in calls.items {
        table.add([
          .init(call.id.short), .init(call.name.isEmpty ? "(no name)" : call.name, .strong),
          .init(call.cause.words), .init(call.address),
          .init(call.madeAt.map(times.format.text) ?? ""),
          .init("\(times.format.text(call.receivedAt)) by \(call.receivedBy)"),
          .init(call.position.map { "\($0.latitude),\($0.longitude)" } ?? ""),
          .init(call.note), .init(call.stateWords),
        ])
      }
      try Standard.print(table.text(on: .current))
      if calls.further > 0 { try Standard.print("and \(calls.further) more") }
    }
  }

  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "State who called: the person is a MAYDAY.",
      discussion: "Example:  muster call confirm 3f9a --person Rui")

    @Argument(help: "The call: its id, or its name if that is unique.")
    var id: String

    @Option(
      help: ArgumentHelp("The person who called.", valueName: "callsign"), completion: .people)
    var person: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let call = try await connection.unverifiedCall(named: id)
      let user: String = try await connection.person(named: person)
      try await connection.send(
        .confirmUnverifiedCall("\(call.id)", user: user),
        "\(SafeText.line(person)) needs help, by the call \(call.id.short)", wait: wait.seconds)
    }
  }

  struct Close: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Close a call that needs no action.",
      discussion: "Example:  muster call close 3f9a --reason \"spoke to the caller\"")

    @Argument(help: "The call: its id, or its name if that is unique.")
    var id: String

    @Option(help: ArgumentHelp("Why it needs no action.", valueName: "text"))
    var reason: String

    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws { try TextArgument.check(reason, .note, "reason") }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let call = try await connection.unverifiedCall(named: id)
      try await connection.send(
        .closeUnverifiedCall("\(call.id)", reason: reason), "Call \(call.id.short) closed",
        wait: wait.seconds)
    }
  }
}

extension NodeConnection {
  fileprivate func unverifiedCalls(includesEnded: Bool) async throws -> UnverifiedCalls {
    let command = Command.unverifiedCalls(includesEnded: includesEnded)
    guard case .unverifiedCalls(let calls) = try await ask(command) else {
      throw Refusal.unexpectedReply
    }
    return calls
  }

  /// An open call goes before those that have ended.
  fileprivate func unverifiedCall(named text: String) async throws -> UnverifiedCallSummary {
    let all = try await unverifiedCalls(includesEnded: true).items
    return try ItemResolver.unverifiedCalls.item(named: text, in: all) { $0.state == .open }
  }
}

extension UnverifiedCause {
  fileprivate var words: String {
    switch self {
    case .unstated: "caller not proven"
    case .removedLogin: "login removed"
    case .sharedToken: "shared token"
    case .beyondBound: "too many callers"
    }
  }
}

extension UnverifiedCallSummary {
  fileprivate var stateWords: String {
    switch state {
    case .open: "open"
    case .closed: "closed by \(decidedBy): \(reason)"
    case .confirmed: "\(personName), by \(decidedBy)"
    }
  }
}
