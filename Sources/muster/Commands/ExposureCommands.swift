internal import ArgumentParser
internal import MusterHTTP
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Exposures: what a person reports and agrees to, and what command publishes.
extension ProximityLogCommand {
  struct Notices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the exposure notices that concern you.",
      discussion: """
        Example:  muster proximity notices

        This laptop compares the notices of command with its own log. The result stays here.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let reply = try await NodeConnection.open(home).proximity(.notices)
      guard case .notices(let notices) = reply else { throw Refusal.unexpectedReply }
      if output.json { return try Standard.print(JSON.array(notices.map(\.json)).text) }
      guard !notices.isEmpty else { return try Standard.print("No exposure notice concerns you.") }
      var lines: [String] = []
      for notice in notices {
        lines.append(
          "\(notice.kind.name.capitalized): near an affected person "
            + notice.days.map(\.words).joined(separator: ", "))
        if !notice.text.isEmpty { lines.append("  \(SafeText.line(notice.text))") }
      }
      try Standard.print(lines.joined(separator: "\n"))
    }
  }

  struct Consent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Agree to send sessions to command, or withdraw that.",
      discussion: """
        Example:  muster proximity consent on
                  muster proximity consent on --share-count

        Sessions are sent once an hour, sealed to command. With 'off', command's laptops show them \
        no longer.
        """)

    @Argument(help: "on or off.")
    var choice: Choice

    @Flag(help: "Agree to be counted in notices that concern you, instead of to send sessions.")
    var shareCount = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    enum Choice: String, ExpressibleByArgument, CaseIterable { case on, off }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.showProximity(
        .consent(choice == .on, count: shareCount), output: output)
    }
  }

  struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send the sessions to command now.",
      discussion: "Example:  muster proximity send")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.sendProximity(.send, output: output)
    }
  }

  struct ReportPositive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Report to command that others were exposed near you.",
      discussion: """
        Example:  muster proximity report-positive --kind contamination --text "Leak, hall 3"

        Seals the keys of the last 14 ended days to command, which may publish them without your \
        name. A day counts two hours after its end (UTC).
        """)

    @Option(help: "infection, contamination or radiation.")
    var kind: String

    @Option(help: "A line for command only.")
    var text = ""

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard ExposureKind(name: kind) != nil else {
        throw ValidationError("--kind is infection, contamination or radiation")
      }
      if let fault = ExposureNotice.fault(text: text) { throw ValidationError(fault) }
    }

    func run() async throws {
      guard let kind = ExposureKind(name: kind) else { return }
      let connection = try await NodeConnection.open(home)
      try await connection.sendProximity(.reportPositive(kind, text: text), output: output)
    }
  }

  struct WithdrawReport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Withdraw your report.",
      discussion: """
        Example:  muster proximity withdraw-report

        A report that command has not published is gone. If it is published, command is asked to \
        withdraw the notice.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.sendProximity(.withdrawReport, output: output)
    }
  }

  struct Review: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "As command, list exposure reports and notices.",
      discussion: "Example:  muster proximity review")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let reply = try await NodeConnection.open(home).proximity(.review)
      guard case .review(let review) = reply else { throw Refusal.unexpectedReply }
      if output.json { return try Standard.print(review.json.text) }
      guard !review.items.isEmpty || !review.senders.isEmpty else {
        return try Standard.print("No reports, notices or sessions.")
      }
      if !review.items.isEmpty {
        var table = Table(["ID", "KIND", "STATE", "FROM", "DAYS", "CONCERNS", "TEXT"])
        for item in review.items {
          table.add([
            .init(item.id.short, .strong), .init(item.kind.name), .init(item.state.words),
            .init(item.callsign), .init("\(item.days.count)"), .init("\(item.people)"),
            .init(item.text),
          ])
        }
        try Standard.print(table.text(on: .current))
      }
      guard !review.senders.isEmpty else { return }
      var table = Table(["SESSIONS OF", "START", "END", "IDENTIFIERS", "NAMES"])
      for sender in review.senders {
        for session in sender.sessions {
          table.add([
            .init(sender.callsign, .strong), .init(times.format.text(session.start)),
            .init(times.format.text(session.stop)), .init("\(session.identifiers)"),
            .init(session.names.joined(separator: ", ")),
          ])
        }
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "As command, publish a report without a name.",
      discussion: """
        Example:  muster proximity publish 3fa2c1b0 --text "Shower, then call the medic"

        The text of the report is not published: it may name the person.
        """)

    @Argument(help: "The id of the report, or its first digits.")
    var id: String

    @Option(help: "What to do, in one line.")
    var text = ""

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      if let fault = ExposureNotice.fault(text: text) { throw ValidationError(fault) }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.changeNotice(
        .publish(id, text: text), done: "published", output: output)
    }
  }

  struct Withdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "As command, withdraw an exposure notice.",
      discussion: "Example:  muster proximity withdraw 3fa2c1b0")

    @Argument(help: "The id of the notice, or its first digits.")
    var id: String

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.changeNotice(.withdrawNotice(id), done: "withdrawn", output: output)
    }
  }
}

extension NodeConnection {
  fileprivate func sendProximity(
    _ command: ProximityCommand, output: OutputOptions
  ) async throws {
    guard case .sent(let recipients) = try await proximity(command) else {
      throw Refusal.unexpectedReply
    }
    if output.json {
      return try Standard.print(JSON.object(["recipients": .count(recipients)]).text)
    }
    try Standard.print(
      "Sealed to \(recipients) \(recipients == 1 ? "laptop" : "laptops") of command.")
  }

  fileprivate func changeNotice(
    _ command: ProximityCommand, done word: String, output: OutputOptions
  ) async throws {
    guard case .published(let id) = try await proximity(command) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(JSON.object(["id": .string("\(id)")]).text) }
    try Standard.print("Notice \(id.short) \(word).")
  }
}

extension NearbyExposure.Day {
  private static let names = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]
  private static let milliseconds: Int64 = 86_400_000

  /// `for 23 min on Tuesday`. Days are those of UTC, as the keys are.
  fileprivate var words: String {
    let day = Int(day.milliseconds / Self.milliseconds) % Self.names.count
    return "for \(minutes) min on \(Self.names[max(0, day)]) (\("\(self.day)".prefix(10)))"
  }
}

extension ExposureReview.State {
  fileprivate var words: String { self == .withdrawn ? "withdrawn by sender" : rawValue }
}
