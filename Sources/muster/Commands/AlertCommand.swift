internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

struct AlertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alert",
    abstract: "List, follow, acknowledge and shelve alerts.",
    discussion: """
      Example:  muster alert follow --bell

      Each node derives its own alerts: a hazard near it or around it, an order, a person who \
      needs help or lost contact, a zone without the role that it needs, an order that is \
      unanswered or overdue. The acknowledgement of an alert about another person, of an overdue \
      order and, by command, of a report is sent to all nodes. Any other stays on this node.
      """,
    subcommands: [List.self, Acknowledge.self, Shelve.self, Unshelve.self, Follow.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the active alerts, the most urgent first.",
      discussion: "Example:  muster alert list --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      guard case .alerts(let alerts) = try await NodeConnection.open(home).ask(.alerts) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(JSON.array(alerts.map(\.json)).text) }
      guard !alerts.isEmpty else { return try Standard.print("No alerts.") }
      var table = Table(["ID", "PRIORITY", "ALERT", "SINCE", "ACKNOWLEDGED"], optional: ["SINCE"])
      for alert in alerts {
        table.add([
          .init("\(alert.id.kind.name):\(alert.id.row.short)"),
          alert.shelving == nil ? alert.priority.cell : .init("· shelved", .faint),
          .init(alert.text, .strong, isWhole: alert.priority >= .danger),
          .init(times.format.text(alert.agesFrom)),
          .init(acknowledged(alert), .faint),
        ])
        if let shelving = alert.shelving {
          let words = "by \(shelving.name) until \(times.format.text(shelving.until)): "
          table.add([
            .init(""), .init(""), .init(words + shelving.reason, .faint), .init(""), .init(""),
          ])
        }
        // Below a danger, the services to call.
        for contact in alert.contacts {
          table.add([.init(""), .init(""), .init("call \(contact.words)"), .init(""), .init("")])
        }
      }
      try Standard.print(table.text(on: .current))
    }

    /// Those that silence it here; else the members whose acknowledgement does not.
    private func acknowledged(_ alert: Alert) -> String {
      alert.acknowledgement.map { "\($0.name), \(times.format.text($0.moment))" }
        ?? alert.acknowledgements.map(\.text).joined(separator: ", ")
    }
  }

  struct Acknowledge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ack",
      abstract: "Acknowledge an alert, which silences it.",
      discussion: """
        Example:  muster alert ack help:3f9a --name Maria
                  muster alert ack help:3f9a --answer "Helicopter in 20 min"

        The alert stays listed until its cause is over. If its level rises, it must be \
        acknowledged again. --answer sends a text to the caller of a call for help, who sees it on \
        their laptop or page; all members can read it, and a tracking app cannot show it. To \
        answer an order, use `muster ack`.
        """)

    @Argument(help: "The alert's id, or its kind if that is unique.", completion: .alerts)
    var id: String

    @Option(
      help: ArgumentHelp(
        "The person who acknowledges. (default: the user of this laptop)", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("A text to the person who calls for help.", valueName: "text"))
    var answer: String?

    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      if let name { try TextArgument.check(name, .line, "name") }
      if let answer { try TextArgument.check(answer, .paragraphs, "answer") }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      // Whether it is sent to others depends on the alert.
      let alert = try await connection.alert(named: id)
      if let answer {
        _ = try await connection.change(.answerCall(alert, text: answer, by: name))
        return try Standard.print("Alert \(SafeText.line(id)) acknowledged, answer sent")
      }
      _ = try await connection.change(.acknowledgeAlert(alert, by: name))
      try Standard.print("Alert \(SafeText.line(id)) acknowledged")
    }
  }

  struct Shelve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a warning aside for a while, as command.",
      discussion: """
        Example:  muster alert shelve battery:3f9a --minutes 30 --reason "spare is on its way"

        At this laptop the warning has no sound and is listed last, with your name and the reason. \
        It returns after that time, and at once if it becomes more urgent or grows. Alarms (MAYDAY \
        and danger) are never shelved: acknowledge them with `muster alert ack`.
        """)

    @Argument(help: "The alert's id, or its kind if that is unique.", completion: .alerts)
    var id: String

    @Option(help: ArgumentHelp("For how long: 1 to 60.", valueName: "minutes"))
    var minutes = AlertShelving.usualMinutes

    @Option(help: ArgumentHelp("Why nothing is to be done now.", valueName: "text"))
    var reason: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws {
      guard AlertShelving.minutes.contains(minutes) else {
        throw ValidationError("give 1 to 60 minutes, such as --minutes 15")
      }
      try TextArgument.check(reason, .line, "reason")
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let alert = try await connection.alert(named: id)
      let order = ShelvingOrder(minutes: minutes, reason: reason)
      _ = try await connection.ask(.shelveAlert(alert, order))
      try Standard.print("Alert \(SafeText.line(id)) shelved for \(minutes) min")
    }
  }

  struct Unshelve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take back that a warning is shelved.",
      discussion: "Example:  muster alert unshelve battery:3f9a")

    @Argument(help: "The alert's id, or its kind if that is unique.", completion: .alerts)
    var id: String

    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      _ = try await connection.ask(.shelveAlert(try await connection.alert(named: id), nil))
      try Standard.print("Alert \(SafeText.line(id)) raised again")
    }
  }

  struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print alerts as they change, until Ctrl-C.",
      discussion: """
        Example:  muster alert follow --bell

        The node must be running. With --json, each line is one object with a key "change": \
        raised, acknowledged, shelved or cleared. A reader that is too slow gets the current state \
        instead of every change.
        """)

    @Flag(help: "Start with the alerts that are active now.")
    var all = false

    @Flag(help: "Ring the terminal bell for each raised alert.")
    var bell = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let client = try await NodeConnection.runningNode(of: home)
      let screen = Screen.current
      let printed = Mutex<[Alert]?>(all ? [] : nil)
      try await client.followAlerts { [json = output.json, bell] standing in
        let before = printed.withLock { printed in
          defer { printed = standing }
          return printed
        }
        if before == nil { Self.announce(standing) }
        for change in AlertChange.between(before ?? standing, and: standing) {
          try Standard.print(json ? change.json.text : change.line(on: screen))
          // Standard output is for the answer alone.
          if bell, case .raised(let alert) = change, alert.acknowledgement == nil {
            Standard.ring()
          }
        }
      }
      throw Refusal("the node has stopped: start it with `muster run`")
    }

    /// Notes what the output leaves out, so that an empty screen does not look like safety.
    private static func announce(_ active: [Alert]) {
      Standard.complain(
        active.isEmpty
          ? "no alerts are active; waiting for changes"
          : "active already: \(ValueText.count(active.count, "alert", "alerts")); print them with "
            + "--all or `muster alert list`")
    }
  }
}

extension AlertChange {
  fileprivate func line(on screen: Screen) -> String {
    switch self {
    case .raised(let alert):
      let priority = alert.priority.cell
      let contacts = alert.contacts.map { "\n          call \(SafeText.line($0.words))" }
      return priority.paint.apply(priority.text, on: screen)
        + "  \(SafeText.line(alert.text))\(contacts.joined())"
    case .acknowledged(let alert):
      let name = SafeText.line(alert.acknowledgement?.name ?? "")
      return "✔ acked    \(SafeText.line(alert.text)) (\(name))"
    case .shelved(let alert): return "✔ shelved  \(SafeText.line(alert.text))"
    case .cleared(let alert): return "✔ over     \(SafeText.line(alert.text))"
    }
  }
}
