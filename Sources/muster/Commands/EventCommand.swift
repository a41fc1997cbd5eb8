internal import ArgumentParser
internal import MusterControl
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import Synchronization

struct EventCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "List and follow entries to and exits from zones.",
    discussion: """
      Example:  muster event follow

      "was inside at the start" marks a device whose first position was already inside.
      """,
    subcommands: [List.self, Follow.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List all events in order of arrival at this node.",
      discussion: "Example:  muster event list --json")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions
    @OptionGroup var coordinates: CoordinateOptions

    /// Events in one request, well below the size limit of a reply.
    fileprivate static let page = 10_000

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      var events: [CrossingSummary] = []
      while true {
        let command = Command.events(after: events.last?.arrival, limit: Self.page)
        guard case .events(let more) = try await connection.ask(command) else {
          throw Refusal.unexpectedReply
        }
        events += more
        if more.count < Self.page { break }
      }
      if output.json { return try Standard.print(JSON.array(events.map(\.json)).text) }
      guard !events.isEmpty else { return try Standard.print("No events.") }
      var table = Table(
        ["TIME", "EVENT", "CALLSIGN", "ZONE", "", "POSITION"], optional: ["POSITION"])
      for event in events {
        table.add([
          .init(times.format.text(event.sampleTime)), event.type.cell,
          .init(event.callsign, .strong), .init(event.fenceLabel),
          .init(event.isBaseline ? "was inside at the start" : "", .faint),
          .init(ValueText.place(event.position, as: coordinates.format)),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }

  struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print events as they happen, until Ctrl-C.",
      discussion: """
        Example:  muster event follow --json

        The node must be running. With --json, each line is one object.
        """)

    @Flag(help: "Start with all events so far.")
    var all = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let client = try await NodeConnection.runningNode(of: home)
      let screen = Screen.current
      let newest = Mutex<Int64?>(all ? 0 : nil)
      try await client.follow(after: all ? 0 : nil) {
        [json = output.json, times = times.format] batch in
        let missed = try await Self.missed(before: batch, after: newest.withLock { $0 }, client)
        for event in missed + batch {
          try Standard.print(json ? event.json.text : event.line(on: screen, times))
        }
        newest.withLock { $0 = batch.last?.arrival ?? $0 }
      }
      throw Refusal("the node has stopped: start it with `muster run`")
    }

    /// Fetches the events that the stream left out for a slow reader: their arrival numbers are
    /// missing.
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
  /// The id, while the name of the zone has not arrived.
  fileprivate var fenceLabel: String { fenceName.isEmpty ? fence.short : fenceName }

  fileprivate func line(on screen: Screen, _ times: LocalTime) -> String {
    let label = type.cell
    return "\(times.text(sampleTime))  \(label.paint.apply(label.text, on: screen))  "
      + "\(SafeText.line(callsign))  \(SafeText.line(fenceLabel))"
      + (isBaseline ? "  (was inside at the start)" : "")
  }
}
