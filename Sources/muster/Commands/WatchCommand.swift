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

      Shows alerts, check-ins, people, orders, reports, zones and peers, the most urgent first. \
      Arrows and PgDn scroll, ? lists the keys, q quits. The node must be running.
      """)

  @Flag(help: "Print one screen, or into a pipe everything, and exit.")
  var once = false

  @OptionGroup(title: "Node") var home: HomeOptions
  @OptionGroup var times: TimeOptions

  /// Ages grow and peers become silent without an event.
  private static let tick = Duration.seconds(1)

  func run() async throws {
    let client = try await NodeConnection.runningNode(of: home)
    guard !once else {
      let watchScreen = try await Self.watchScreen(of: client, times.format)
      return try Standard.print(watchScreen.print(now: .now, on: .current))
    }
    let terminal = try LiveTerminal()
    defer { terminal.leave() }
    let work = WatchQueue()
    terminal.collect(into: work)
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await client.followChanges { _ in work.refresh() }
        throw Refusal("the node has stopped: start it with `muster run`")
      }
      group.addTask {
        while true {
          work.refresh()
          try await Task.sleep(for: Self.tick)
        }
      }
      group.addTask { [times = times.format] in
        try await Self.draw(on: terminal, as: work, of: client, times)
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Draws until the user quits. Keys do not wait for the node.
  private static func draw(
    on terminal: LiveTerminal, as queue: WatchQueue, of client: ControlClient, _ times: LocalTime
  ) async throws {
    var (shown, scroll) = (WatchScreen?.none, WatchScroll())
    func show() throws {
      let size = LiveTerminal.size
      guard let shown else { return }
      try terminal.show(
        shown.lines(
          columns: size.columns, rows: size.rows, &scroll, now: .now, on: .current))
    }
    for await _ in queue.wakeUps {
      let work = queue.take()
      guard !work.quits else { return }
      for key in work.keys { scroll.press(key) }
      if !work.keys.isEmpty || !work.isStale { try show() }
      guard work.isStale else { continue }
      shown = try await watchScreen(of: client, times)
      try show()
    }
  }

  private static func watchScreen(
    of client: ControlClient, _ times: LocalTime
  ) async throws -> WatchScreen {
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
    return WatchScreen(
      status: status, users: users, reports: reports, fences: fences, directives: directives,
      alerts: alerts, checkIns: timers, call: call, times: times)
  }
}
