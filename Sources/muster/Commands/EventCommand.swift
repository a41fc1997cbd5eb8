internal import ArgumentParser
internal import MusterControl
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

struct EventCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Who came into which fence, and who left.",
    discussion: """
      Example:  muster event follow

      A baseline is somebody whose first fix was inside already.
      """,
    subcommands: [List.self, Follow.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists all events in the order in which this laptop learned of them.",
      discussion: "Example:  muster event list --json")

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    /// Asked for at once: well within what one answer may hold.
    fileprivate static let page = 10_000

    func run() async throws {
      let door = try await Door.open(home)
      var events: [CrossingSummary] = []
      while true {
        let command = Command.events(after: events.last?.arrival, limit: Self.page)
        guard case .events(let more) = try await door.ask(command) else {
          throw Refusal.unexpectedReply
        }
        events += more
        if more.count < Self.page { break }
      }
      if output.json { return try Standard.print(JSON.array(events.map(\.json)).text) }
      guard !events.isEmpty else { return try Standard.print("No events.") }
      var table = Table(["TIME", "EVENT", "CALLSIGN", "FENCE", "PLACE", ""])
      for event in events {
        table.add([
          .init("\(event.sampleTime)"), event.type.cell, .init(event.callsign, .strong),
          .init(event.fenceLabel), .init(Words.place(event.position)),
          .init(event.isBaseline ? "baseline" : "", .faint),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints events as they happen, until Ctrl-C.",
      discussion: """
        Example:  muster event follow --json | while read -r event; do …; done

        With --json, one object a line. The node must be running.
        """)

    @Flag(help: "Begins with the events that are known already.")
    var all = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let client = try await Door.runningNode(of: home)
      let screen = Screen.current
      let newest = Mutex<Int64?>(all ? 0 : nil)
      try await client.follow(after: all ? 0 : nil) { [json = output.json] batch in
        let missed = try await Self.missed(before: batch, after: newest.withLock { $0 }, client)
        for event in missed + batch {
          try Standard.print(json ? event.json.text : event.line(on: screen))
        }
        newest.withLock { $0 = batch.last?.arrival ?? $0 }
      }
      throw Refusal("the node has stopped")
    }

    /// A reader that does not keep up is not told of all, which the numbers of arrival show: what
    /// was left out is asked for.
    private static func missed(
      before batch: [CrossingSummary], after newest: Int64?, _ client: ControlClient
    ) async throws -> [CrossingSummary] {
      guard let newest, let first = batch.first, first.arrival > newest + 1 else { return [] }
      var missed: [CrossingSummary] = []
      while true {
        let command = Command.events(after: missed.last?.arrival ?? newest, limit: List.page)
        guard case .events(let more) = try await client.perform(command) else {
          throw Refusal.unexpectedReply
        }
        let earlier = more.filter { $0.arrival < first.arrival }
        missed += earlier
        if earlier.count < List.page { return missed }
      }
    }
  }
}

extension CrossingSummary {
  /// Its id stands for a fence whose name has not arrived yet.
  fileprivate var fenceLabel: String { fenceName.isEmpty ? fence.short : fenceName }

  fileprivate func line(on screen: Screen) -> String {
    let label = type.cell
    return "\(sampleTime)  \(label.paint.apply(label.text, on: screen))  "
      + "\(SafeText.line(callsign))  \(SafeText.line(fenceLabel))"
      + (isBaseline ? "  (baseline)" : "")
  }
}
