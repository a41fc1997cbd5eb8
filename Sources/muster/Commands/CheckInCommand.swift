internal import ArgumentParser
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

struct CheckInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkin",
    abstract: "Raise an alarm if someone does not report in time.",
    discussion: """
      Example:  muster checkin start --every 20m --note "North ridge, two people"
                muster checkin ok

      Every laptop that holds a check-in raises the alarm by itself, also if this one is lost.
      """,
    subcommands: [
      Start.self, OK.self, Extend.self, Stop.self, List.self, Pin.self, Clear.self,
    ])

  struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Start a timer, for you or as command for others.",
      discussion: """
        Example:  muster checkin start --every 20m
                  muster checkin start --by 15:10 --note "Route 4"
                  muster checkin start --preset par --team North
                  muster checkin start --every 30m --still 10m

        Presets: lone (every 30m, grace 5m), par (every 20m, grace 2m), ba (breathing apparatus: \
        in 30m, reminder 10m before, grace 1m). A team or role means those who are in it now.

        With --still, who has a position and does not move for that time is asked whether they are \
        well. Who does not check in within the grace period is then overdue.
        """)

    @Option(
      help: ArgumentHelp("Check in repeatedly.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var every: DurationArgument?

    @Option(
      name: .customLong("in"),
      help: ArgumentHelp("Check in once, after this time.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var after: DurationArgument?

    @Option(
      help: ArgumentHelp("Check in once, by this time of day.", valueName: "hh:mm"),
      transform: DayTimeArgument.init(parsing:))
    var by: DayTimeArgument?

    @Option(help: "Settings for a usual case.")
    var preset: CheckInPreset?

    @OptionGroup var people: CheckInPeople

    @Option(
      help: ArgumentHelp(
        "The time from the due time to the alarm. The default is 2m.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var grace: DurationArgument?

    @Option(
      help: ArgumentHelp("Also ask after this time without movement.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var still: DurationArgument?

    @Option(help: ArgumentHelp("Route, air supply, emergency contact.", valueName: "text"))
    var note = ""

    @OptionGroup var pin: PinOptions
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      let least = Int64(Limits.leastStillSeconds)
      guard still.map({ (least...Int64(Limits.spanSeconds)).contains($0.seconds) }) ?? true else {
        throw ValidationError("--still is from 1m to 7d")
      }
      let times = (every == nil ? 0 : 1) + (after == nil ? 0 : 1) + (by == nil ? 0 : 1)
      guard times == 1 || (times == 0 && preset != nil) else {
        throw ValidationError("give one of --every, --in, --by and --preset")
      }
      try TextArgument.check(note, .paragraphs, "note")
    }

    private var timer: CheckInDraft {
      var timer = preset?.timer ?? CheckInDraft(durationSeconds: 0, repeats: false)
      if let every {
        (timer.durationSeconds, timer.repeats) = (UInt32(clamping: every.seconds), true)
      } else if let seconds = after?.seconds ?? by?.seconds(after: .now) {
        (timer.durationSeconds, timer.repeats) = (UInt32(clamping: seconds), false)
      }
      if let still { timer.stillSeconds = UInt32(clamping: still.seconds) }
      if let grace { timer.graceSeconds = UInt32(clamping: grace.seconds) }
      timer.reminderSeconds = min(timer.reminderSeconds, timer.durationSeconds / 2)
      timer.note = note
      return timer
    }

    func run() async throws {
      let connection = try await NodeConnection.open(home)
      let timer = timer
      let order = CheckInOrder(
        people: try await connection.people(named: people.user), team: people.team ?? "",
        role: people.role?.value, timer: timer, pin: try await pin.pin(for: connection))
      try await connection.create(.startCheckIn(order), wait: wait.seconds) { reply in
        guard case .createdAll(let ids) = reply else { throw Refusal.unexpectedReply }
        try Standard.print(
          output.json
            ? JSON.object(["ids": .array(ids.map(JSON.id))]).text
            : ids.map { "\($0)" }.joined(separator: "\n"))
        let span = RoundedSpan(seconds: UInt64(timer.durationSeconds))
        return timer.repeats ? "Check in every \(span)" : "Check in within \(span)"
      }
    }
  }

  struct OK: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ok", abstract: "Check in.",
      discussion: """
        Example:  muster checkin ok
                  muster checkin ok --user Truck --note "By radio"
        """)

    @OptionGroup var target: CheckInTarget
    @Option(help: ArgumentHelp("A remark for the others.", valueName: "text"))
    var note = ""
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws { try TextArgument.check(note, .paragraphs, "note") }

    func run() async throws {
      try await target.report(.ok, note: note, "Checked in", home: home, wait: wait.seconds)
    }
  }

  struct Extend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Postpone the next check-in.",
      discussion: "Example:  muster checkin extend 10m")

    @Argument(
      help: ArgumentHelp("The time to add.", valueName: "duration"),
      transform: DurationArgument.init(parsing:))
    var duration: DurationArgument

    @OptionGroup var target: CheckInTarget
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func run() async throws {
      let span = RoundedSpan(seconds: UInt64(duration.seconds))
      try await target.report(
        .extend, seconds: UInt32(clamping: duration.seconds), "Extended by \(span)", home: home,
        wait: wait.seconds)
    }
  }

  struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop timers: yours, or as command those of others.",
      discussion: "Example:  muster checkin stop --user Ben --reason \"Back at the post\"")

    @OptionGroup var target: CheckInTarget
    @Option(help: ArgumentHelp("Why; required for another person.", valueName: "text"))
    var reason = ""
    @OptionGroup var wait: WaitOptions
    @OptionGroup(title: "Node") var home: HomeOptions

    func validate() throws { try TextArgument.check(reason, .paragraphs, "reason") }

    func run() async throws {
      try await target.report(
        .stop, note: reason, "Check-in stopped", home: home, wait: wait.seconds)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List check-ins, the next one due first.",
      discussion: """
        Example:  muster checkin list
                  muster checkin list --all --json
        """)

    @Flag(help: "Include check-ins that have ended.")
    var all = false

    @OptionGroup(title: "Node") var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var times: TimeOptions

    func run() async throws {
      guard case .checkIns(let known) = try await NodeConnection.open(home).ask(.checkIns) else {
        throw Refusal.unexpectedReply
      }
      let timers = all ? known : known.filter { $0.state != .done }
      if output.json { return try Standard.print(JSON.array(timers.map(\.json)).text) }
      guard !timers.isEmpty else { return try Standard.print("No check-ins.") }
      var table = Table(
        ["PERSON", "STATE", "LEFT", "EVERY", "LAST", "NOTE", "BY", "ID"],
        optional: ["BY", "EVERY", "LAST", "ID"])
      for timer in timers {
        let span = RoundedSpan(seconds: UInt64(timer.durationSeconds))
        table.add([
          .init(timer.callsign, .strong), timer.stateCell, .init(timer.leftWords),
          .init(timer.repeats ? "\(span)" : "once"),
          .init(timer.reportedAt.map(times.format.text) ?? "none received here"),
          .init(timer.note), .init(timer.startedBy), .init(timer.id.short),
        ])
      }
      try Standard.print(table.text(on: .current))
    }
  }
}

/// The people whose check-ins start; none for the node's own user.
struct CheckInPeople: ParsableArguments {
  @Option(
    help: ArgumentHelp("For this person. May be repeated.", valueName: "callsign"),
    completion: .people)
  var user: [String] = []

  @Option(help: ArgumentHelp("For everyone in this team.", valueName: "name"), completion: .teams)
  var team: String?

  @Option(help: "For everyone of this role.")
  var role: NameArgument<Role>?

  func validate() throws {
    if let team { try TextArgument.check(team, .line, "team") }
  }
}

/// The check-ins that a report is about.
struct CheckInTarget: ParsableArguments {
  @Option(
    help: ArgumentHelp("For this person instead of you.", valueName: "callsign"),
    completion: .people)
  var user: String?

  @Option(
    help: ArgumentHelp("Only this check-in. The default is all that run.", valueName: "id"))
  var id: String?

  @OptionGroup var pin: PinOptions

  func report(
    _ kind: CheckInReportKind, seconds: UInt32 = 0, note: String = "", _ words: String,
    home: HomeOptions, wait: Int?
  ) async throws {
    let connection = try await NodeConnection.open(home)
    let entry = CheckInEntry(
      kind: kind, user: try await connection.person(named: user), timer: id, seconds: seconds,
      note: note, pin: try await pin.pin(for: connection))
    let name = user.map { "\(SafeText.line($0)): " } ?? ""
    try await connection.send(.reportCheckIn(entry), "\(name)\(words)", wait: wait)
  }
}

/// Settings of check-ins for usual cases.
enum CheckInPreset: String, CaseIterable, ExpressibleByArgument {
  /// A lone worker.
  case lone
  /// The interval of personnel accountability reports.
  case par
  /// Breathing apparatus: the air supply, with an early warning.
  case ba

  var timer: CheckInDraft {
    switch self {
    case .lone:
      CheckInDraft(
        durationSeconds: 1800, repeats: true, graceSeconds: 300, reminderSeconds: 300)
    case .par:
      CheckInDraft(
        durationSeconds: 1200, repeats: true, graceSeconds: 120, reminderSeconds: 120)
    case .ba:
      CheckInDraft(
        durationSeconds: 1800, repeats: false, graceSeconds: 60, reminderSeconds: 600)
    }
  }
}

extension CheckInSummary {
  /// The state as a table shows it.
  var stateCell: Table.Cell {
    switch state {
    case .done: .init("done", .faint)
    case .running: .init("running")
    case .reminder where isStill: .init("no movement", .doubtful)
    case .reminder: .init("due soon")
    case .due: .init("possibly overdue", .doubtful)
    case .overdue: .init("OVERDUE", .bad)
    case .unaccounted: .init("UNACCOUNTED", .bad)
    }
  }

  /// The time to the latest due time, or since it.
  var leftWords: String {
    guard let latestSeconds else { return "" }
    let span = RoundedSpan(seconds: latestSeconds.magnitude)
    return latestSeconds < 0 ? "\(span) ago" : "\(span)"
  }
}
