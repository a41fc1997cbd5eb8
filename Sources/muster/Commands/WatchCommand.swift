internal import ArgumentParser
internal import MusterControl
internal import MusterModel
internal import MusterNode

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show a live overview of the operation.",
    discussion: """
      Example:  muster watch
                muster watch --once

      Shows alerts, check-ins, people, directives, reports, zones and peers. Press q to quit. The \
      node must be running.
      """)

  @Flag(help: "Print one screen and exit.")
  var once = false

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var times: TimeOptions

  /// Ages grow and peers become silent without an event.
  private static let tick = Duration.seconds(1)

  func run() async throws {
    let client = try await NodeConnection.runningNode(of: home)
    guard !once else {
      let lines = try await Self.lines(of: client, times.format, size: LiveTerminal.size)
      return try Standard.print(lines.joined(separator: "\n"))
    }
    let terminal = try LiveTerminal()
    defer { terminal.leave() }
    let (requests, request) = AsyncStream.makeStream(
      of: LiveTerminal.UserRequest.self, bufferingPolicy: .bufferingNewest(1))
    terminal.requests { wanted in
      request.yield(wanted)
      // Nothing after it may replace a quit in the buffer.
      if wanted == .quit { request.finish() }
    }
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await client.followChanges { _ in request.yield(.redraw) }
        throw Refusal("the node has stopped")
      }
      group.addTask {
        while true {
          request.yield(.redraw)
          try await Task.sleep(for: Self.tick)
        }
      }
      group.addTask { [times = times.format] in
        for await wanted in requests {
          guard wanted == .redraw else { return }
          try terminal.show(
            try await Self.lines(of: client, times, size: LiveTerminal.size))
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private static func lines(
    of client: ControlClient, _ times: LocalTime, size: (columns: Int, rows: Int)
  ) async throws -> [String] {
    let connection = NodeConnection.running(client)
    guard case .status(let status) = try await connection.ask(.status),
      case .users(let users) = try await connection.ask(.users),
      case .reports(let reports) = try await connection.ask(.reports),
      case .fences(let fences) = try await connection.ask(.fences),
      case .directives(let directives) = try await connection.ask(.directives),
      case .alerts(let alerts) = try await connection.ask(.alerts),
      case .checkIns(let timers) = try await connection.ask(.checkIns),
      case .call(let call) = try await connection.ask(.call(of: nil))
    else { throw Refusal.unexpectedReply }
    let watchScreen = WatchScreen(
      status: status, users: users, reports: reports, fences: fences, directives: directives,
      alerts: alerts, checkIns: timers, call: call, times: times)
    return watchScreen.lines(
      columns: size.columns, rows: size.rows, now: .now, on: .current)
  }
}
