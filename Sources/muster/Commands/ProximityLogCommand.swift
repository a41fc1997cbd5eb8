internal import ArgumentParser
internal import MusterHTTP
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct ProximityLogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proximity",
    abstract: "Show which devices were near this laptop.",
    discussion: """
      Example:  muster proximity on
                muster proximity list

      A running node scans and advertises by Bluetooth, or reads a scanner: see --proximity of \
      `muster run`. The log is encrypted, stays on this laptop and is deleted after 14 days. Only \
      what its owner agrees to is sent, sealed to command.
      """,
    subcommands: [
      Status.self, On.self, Off.self, Keep.self, List.self, Sessions.self, Own.self, Notices.self,
      Consent.self, Send.self, ReportPositive.self, WithdrawReport.self, Review.self,
      Publish.self, Withdraw.self,
    ])

  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show whether devices nearby are recorded.",
      discussion: "Example:  muster proximity status")

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.showProximity(.status, output: output)
    }
  }

  struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Record devices nearby, and advertise.",
      discussion: """
        Example:  muster proximity on
                  muster proximity on --show-name

        A running node scans and advertises with the Bluetooth adapter of this laptop. A scanner \
        of `muster run --proximity` is recorded too. Your name is advertised only if you show it.
        """)

    @Flag(inversion: .prefixedNo, help: "Advertise your name with the identifier.")
    var showName: Bool?

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      if let showName { _ = try await connection.proximity(.showName(showName)) }
      _ = try await connection.proximity(.setOn(true))
      try await connection.awaitScanner()
      try await connection.showProximity(.status, output: output)
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Record no devices, and do not advertise.",
      discussion: """
        Example:  muster proximity off

        What was recorded before stays until it is 14 days old.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.showProximity(.setOn(false), output: output)
    }
  }

  struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the days that the log is kept, at most 14.",
      discussion: """
        Example:  muster proximity keep 7

        A running node deletes what is older: sightings, and the keys of this laptop.
        """)

    @Argument(help: "From 1 to 14.")
    var days: Int

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard (1...14).contains(days) else { throw ValidationError("give 1 to 14 days") }
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      try await connection.showProximity(.keep(days: days), output: output)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the devices that were near, newest first.",
      discussion: """
        Example:  muster proximity list --hours 2

        A device that changes its identifier every ten minutes is listed once for each.
        """)

    @Option(help: "The hours before now.")
    var hours = 24

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func validate() throws {
      guard (1...336).contains(hours) else {
        throw ValidationError("--hours must be from 1 to 336")
      }
    }

    func run() async throws {
      let reply = try await NodeConnection.open(home).proximity(.devices(hours: hours))
      guard case .devices(let devices, let isTruncated) = reply else {
        throw Refusal.unexpectedReply
      }
      if output.json {
        let list = JSON.object([
          "devices": .array(devices.map(\.json)), "isTruncated": .bool(isTruncated),
        ])
        return try Standard.print(list.text)
      }
      guard !devices.isEmpty else {
        return try Standard.print("No devices in the last \(hours) h.")
      }
      var table = Table(["DEVICE", "NAME", "SIGNAL", "FIRST", "LAST"], optional: ["FIRST"])
      for device in devices {
        table.add([
          .init(String(device.identifier.prefix(8)), .strong), .init(device.name),
          .init("\(device.rssi) dBm"), .init(times.format.text(device.first)),
          .init(times.format.text(device.last)),
        ])
      }
      try Standard.print(table.text(on: .current))
      if isTruncated {
        try Standard.print("Only the newest \(devices.count) are listed: lower --hours.")
      }
    }
  }

  struct Sessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the spans of time with devices nearby.",
      discussion: """
        Example:  muster proximity sessions

        A session is synced once a laptop of command has acknowledged it. `muster proximity send` \
        sends all now, and `muster proximity consent on` sends each new one.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      let reply = try await NodeConnection.open(home).proximity(.sessions)
      guard case .sessions(let sessions) = reply else { throw Refusal.unexpectedReply }
      if output.json { return try Standard.print(JSON.array(sessions.map(\.json)).text) }
      guard !sessions.isEmpty else { return try Standard.print("No sessions.") }
      var table = Table(["START", "END", "IDENTIFIERS", "SYNCED"])
      for session in sessions {
        table.add([
          .init(times.format.text(session.start), .strong),
          .init(times.format.text(session.end)), .init("\(session.identifiers)"),
          .init(session.isSynced ? "yes" : session.isSent ? "sent, not received" : "not synced"),
        ])
      }
      try Standard.print(table.text(on: .current))
      if sessions.contains(where: { !$0.isSent }) {
        try Standard.print("Send them now: muster proximity send")
      }
    }
  }

  struct Own: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the identifier of this laptop now.",
      discussion: """
        Example:  muster proximity own --json

        A Bluetooth advertiser sends the field serviceData under the service FD6F, and asks again \
        at changesAt.
        """)

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      guard case .own(let own) = try await NodeConnection.open(home).proximity(.own) else {
        throw Refusal.unexpectedReply
      }
      if output.json { return try Standard.print(own.json.text) }
      var page = Page()
      page.add("Identifier: \(own.identifier)")
      page.add("Changes at: \(times.format.text(own.changesAt))")
      page.add("Keys on this laptop: \(ValueText.count(own.days.count, "day", "days"))")
      try Standard.print(page.text(on: .current))
    }
  }
}

extension NodeConnection {
  func proximity(_ command: ProximityCommand) async throws -> ProximityReply {
    guard case .proximity(let reply) = try await ask(.proximity(command)) else {
      throw Refusal.unexpectedReply
    }
    return reply
  }

  /// Waits a moment for the first report of the Bluetooth adapter.
  func awaitScanner() async throws {
    guard case .running = self else {
      return Standard.complain("saved on this laptop: devices are recorded during `muster run`")
    }
    for _ in 0..<20 {
      guard case .status(let status) = try await proximity(.status),
        status.scanning == .unknown || status.advertising == .unknown
      else { return }
      try await Task.sleep(for: .milliseconds(200))
    }
  }

  func showProximity(
    _ command: ProximityCommand, output: OutputOptions
  ) async throws {
    guard case .status(let status) = try await proximity(command) else {
      throw Refusal.unexpectedReply
    }
    if output.json { return try Standard.print(status.json.text) }
    var lines = [
      "Recording: \(status.isOn ? "on" : "off")", "Scanning: \(status.scanning.rawValue)",
      "Advertising: \(status.advertising.rawValue)",
    ]
    if !status.adapter.isEmpty { lines.append("Adapter: \(SafeText.line(status.adapter))") }
    if !status.problem.isEmpty { lines.append("Bluetooth: \(SafeText.line(status.problem))") }
    if !status.source.isEmpty { lines.append("Source: \(SafeText.line(status.source))") }
    lines.append("Sightings since the start: \(status.counted)")
    lines.append("Kept for: \(status.days) \(status.days == 1 ? "day" : "days")")
    lines.append("Name shown to devices nearby: \(status.showsName ? "yes" : "no")")
    lines.append("Sessions sent to command: \(status.sendsSessions ? "yes" : "no")")
    lines.append("Counted by command in notices: \(status.sharesCount ? "yes" : "no")")
    if let report = status.report {
      let days = report.days.count
      lines.append(
        "Your report: \(report.kind.name), \(days) \(days == 1 ? "day" : "days"), "
          + (report.isPublished ? "published by command" : "not published by command"))
    }
    for (reason, count) in status.refused.sorted(by: { $0.key < $1.key }) {
      lines.append("Not counted: \(count), \(reason)")
    }
    try Standard.print(lines.joined(separator: "\n"))
  }
}
