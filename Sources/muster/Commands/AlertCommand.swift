internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

struct AlertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert",
    abstract: "What this laptop's people should know now.",
    discussion: """
      Example:  muster alert follow --bell

      Alerts are this laptop's own: a hazard near it, being inside one, a muster, somebody who \
      asks for help or has gone silent, a fence that lacks somebody, a directive that waits for \
      an answer or is overdue. An acknowledgement of one about another person or an overdue order \
      reaches all nodes; of one about this laptop alone it stays here.
      """,
    subcommands: [List.self, Acknowledge.self, Follow.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the alerts that stand, the loudest first.",
      discussion: "Example:  muster alert list --json")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      guard case .alerts(let alerts) = try await Door.open(home).ask(.alerts) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(alerts.map(\.json)).text) }
      guard !alerts.isEmpty else { return try Standard.print("No alerts.") }
      var table = Table(["ID", "LEVEL", "WHAT", "SINCE", "ACKNOWLEDGED"])
      for alert in alerts {
        table.add([
          .init("\(alert.id.kind.name):\(alert.id.row.short)"), alert.level.cell,
          .init(alert.text, .strong), .init("\(alert.since)"),
          .init(alert.acknowledgement.map { "\($0.name), \($0.moment)" } ?? "", .faint),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Acknowledge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ack",
      abstract: "Says that somebody has taken notice of an alert: it sounds no more.",
      discussion: """
        Example:  muster alert ack help:3f9a --name Maria

        The alert stands until its matter is over. Should it grow louder, it waits for somebody \
        again. A directive is answered by muster ack.
        """)

    @Argument(help: "The alert, as alert list names it.")
    var id: String

    @Option(help: ArgumentHelp("Who. (default: this laptop's own user)", valueName: "name"))
    var name: String?

    @OptionGroup var home: HomeOptions

    func validate() throws {
      if let name { try TextArgument.check(name, .line, "name") }
    }

    func run() async throws {
      try await Door.open(home).send(
        .acknowledgeAlert(id, by: name), "Alert \(SafeText.line(id)) acknowledged")
    }
  }

  struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints alerts as they come and go, until Ctrl-C.",
      discussion: """
        Example:  muster alert follow --bell

        With --json, one object a line, with a key "change": raised, acknowledged or cleared. \
        Whoever reads slowly is told how it is by then, and never less. The node must be running.
        """)

    @Flag(help: "Begins with the alerts that stand already.")
    var all = false

    @Flag(help: "Rings the terminal's bell for each that is raised.")
    var bell = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let client = try await Door.runningNode(of: home)
      let screen = Screen.current
      let told = Mutex<[Alert]?>(all ? [] : nil)
      try await client.followAlerts { [json = output.json, bell] standing in
        let before = told.withLock { told in
          defer { told = standing }
          return told ?? standing
        }
        for change in AlertChange.between(before, and: standing) {
          try Standard.print(json ? change.json.text : change.line(on: screen))
          // Standard output is for the answer alone.
          if bell, case .raised(let alert) = change, alert.acknowledgement == nil {
            Standard.ring()
          }
        }
      }
      throw Refusal("the node has stopped")
    }
  }
}

extension AlertChange {
  fileprivate func line(on screen: Screen) -> String {
    switch self {
    case .raised(let alert):
      let level = alert.level.cell
      return level.paint.apply(level.text, on: screen) + "  \(SafeText.line(alert.text))"
    case .acknowledged(let alert):
      let name = SafeText.line(alert.acknowledgement?.name ?? "")
      return "✔ seen     \(SafeText.line(alert.text)) (\(name))"
    case .cleared(let alert): return "✔ over     \(SafeText.line(alert.text))"
    }
  }
}
