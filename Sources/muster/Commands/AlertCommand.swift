internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct AlertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert",
    abstract: "What this laptop's people should know now.",
    discussion: """
      Example:  muster alert follow --bell

      Alerts are this laptop's own: a hazard near it, being inside one, a muster, somebody who \
      asks for help or has gone silent, a fence that lacks somebody, a directive that waits for \
      an answer or is overdue.
      """,
    subcommands: [List.self, Follow.self])

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
      var table = Table(["LEVEL", "WHAT", "SINCE"])
      for alert in alerts {
        table.add([alert.level.cell, .init(alert.text, .strong), .init("\(alert.since)")])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints alerts as they come and go, until Ctrl-C.",
      discussion: """
        Example:  muster alert follow --bell

        With --json, one object a line, with a key "change": raised or cleared. The node must be \
        running.
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
      try await client.followAlerts(standing: all) { [json = output.json, bell] changes in
        for change in changes {
          try Standard.print(json ? change.json.text : change.line(on: screen))
          // Standard output is for the answer alone.
          if bell, case .raised = change { Standard.ring() }
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
    case .cleared(let alert): return "✔ over     \(SafeText.line(alert.text))"
    }
  }
}
