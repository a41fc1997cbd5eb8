import MusterModel
import MusterReplica
import MusterStore
import Testing

@Suite("Alerts")
struct AlertTests {
  /// Returns the alerts raised and cleared, as text.
  private func review(_ name: String, in valley: inout Valley) throws -> [String] {
    let outcome = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return outcome.alertChanges.map { change in
      switch change {
      case .raised(let alert): "+ \(alert.level.name): \(alert.text)"
      case .acknowledged(let alert): "✓ \(alert.acknowledgement?.name ?? "nobody"): \(alert.text)"
      case .shelved(let alert): "~ \(alert.text)"
      case .cleared(let alert): "- \(alert.text)"
      }
    }
  }

  private func expect(
    _ expected: [String], at name: String, in valley: inout Valley,
    from location: SourceLocation = #_sourceLocation
  ) throws {
    let changes = try review(name, in: &valley)
    #expect(changes == expected, sourceLocation: location)
  }

  @Test func `a nearby hazard raises one alert, rises for an evacuation, and is cleared`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    let near = try valley.at("Ada") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(
            title: "Smoke", category: .fire, severity: 3, position: place(metresNorth: 500))),
        now: $1)
    }
    try valley.at("Ada") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(title: "Far", severity: 5, position: place(metresNorth: 5000))), now: $1)
    }
    try valley.converge()
    try expect(["+ notice: Ada reports: Smoke (fire). 500 m from here"], at: "Ben", in: &valley)
    try expect([], at: "Ben", in: &valley)
    // Their own report raises no alert at Ada, who also has no fix.
    try expect([], at: "Ada", in: &valley)

    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(near, ReportChanges(toEvacuate: true)), now: $1)
    }
    try valley.converge()
    let text = "Ada reports: evacuate. Smoke (fire). 500 m from here"
    try expect(["+ danger: \(text)"], at: "Ben", in: &valley)
    // A restart raises no alert again
    try valley.restart("Ben")
    try expect([], at: "Ben", in: &valley)
    #expect(try valley.ask("Ben") { try $0.alerts(now: $1) }.map(\.level) == [.danger])

    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(near, ReportChanges(status: .resolved)), now: $1)
    }
    try valley.converge()
    try expect(["- \(text)"], at: "Ben", in: &valley)
    #expect(try valley.ask("Ben") { try $0.alerts(now: $1) } == [])
  }

  @Test func `an acknowledgement keeps its name until the level rises`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    let smoke = try valley.at("Ada") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(
            title: "Smoke", category: .fire, severity: 3, position: place(metresNorth: 500))),
        now: $1)
    }
    try valley.converge()
    _ = try review("Ben", in: &valley)
    func standing() throws -> Alert? { try valley.ask("Ben") { try $0.alerts(now: $1) }.first }
    let id = try #require(try standing()).id

    let outcome = try valley.ask("Ben") {
      try $0.acknowledgeAlert("hazard:\(smoke.short)", by: "Maria", now: $1)
    }
    guard case .acknowledged(let reported)? = outcome.alertChanges.first else {
      Issue.record("no change was reported: \(outcome.alertChanges)")
      return
    }
    #expect(reported.id == id && reported.acknowledgement?.name == "Maria")
    // The first name stays; repeating it changes nothing, by any name of the alert.
    for name in [id.description, "\(smoke)", "\(smoke)".uppercased()] {
      let again = try valley.ask("Ben") { try $0.acknowledgeAlert(name, by: nil, now: $1) }
      #expect(again.alertChanges.isEmpty)
    }
    #expect(try standing() == reported)
    try expect([], at: "Ben", in: &valley)
    try valley.restart("Ben")
    #expect(try standing() == reported)
    // It concerns only Ben.
    #expect(try valley.ask("Ada") { try $0.alerts(now: $1) } == [])

    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(smoke, ReportChanges(toEvacuate: true)), now: $1)
    }
    try valley.converge()
    let text = "Ada reports: evacuate. Smoke (fire). 500 m from here"
    try expect(["+ danger: \(text)"], at: "Ben", in: &valley)
    #expect(try standing()?.acknowledgement == nil)
    try valley.ask("Ben") { _ = try $0.acknowledgeAlert(id.description, by: nil, now: $1) }
    #expect(try standing()?.acknowledgement?.name == "Ben")

    for wrong in ["", "smoke", "help:\(smoke)", "hazard:", "hazard:00", "0000000000000000"] {
      #expect(throws: Refusal.self, "\(wrong)") {
        try valley.ask("Ben") { _ = try $0.acknowledgeAlert(wrong, by: "Maria", now: $1) }
      }
    }
    for name in ["", "two\nlines", String(repeating: "n", count: Limits.lineBytes + 1)] {
      #expect(throws: Refusal.self) {
        try valley.ask("Ben") { _ = try $0.acknowledgeAlert(id.description, by: name, now: $1) }
      }
    }
  }

  @Test func `zones, roll calls, silence and help each have their alert`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "School", kind: .muster, geometry: circle(metres: 100), needs: .command)), now: $1
      )
    }
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(
          FenceDraft(
            name: "Plume", kind: .hazard, geometry: circle(metres: 50, metresNorth: 1000))), now: $1
      )
    }
    try valley.converge()
    // A fix of low accuracy raises no danger
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: 1000, second: 1, accuracyMetres: 5000), now: $1)
    }
    try expect(
      [
        "+ warning: no one of role command is in School"
      ], at: "Ben", in: &valley)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 1000, second: 2), now: $1) }
    try expect(["+ danger: you are inside hazard zone Plume"], at: "Ben", in: &valley)

    try valley.at("Ada") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.at("Cleo") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(DirectiveDraft(kind: .rollcall, durationSeconds: 60)), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 2000)
    try expect(
      [
        "+ danger: Cleo: asked for help: leg",
        "- no one of role command is in School",
        "+ warning: roll call: report that you are safe",
      ], at: "Ben", in: &valley)
    _ = try review("Ada", in: &valley)
    try valley.run(milliseconds: 61_000)
    // Nothing has proven within a minute that Ben is in contact
    try expect(
      ["+ warning: no contact with Ben", "+ warning: roll call is overdue: Ben, Cleo"], at: "Ada",
      in: &valley)
    try valley.run(milliseconds: 125_000)
    try expect(["+ danger: roll call is overdue: Ben, Cleo"], at: "Ada", in: &valley)
  }

  @Test func `command is warned of a callsign that two people have, until one is revoked`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    func warnings(_ name: String) throws -> [String] {
      try valley.ask(name) { try $0.alerts(now: $1) }
        .filter { $0.id.kind == .sameCallsign }.map(\.text)
    }
    #expect(try warnings("Ada") == [])
    try valley.at("Cleo") { try $0.write(PersonRequests.setCallsign("Ben"), now: $1) }
    try valley.converge()
    let text = try #require(try warnings("Ada").first)
    #expect(text.hasPrefix("2 people are called Ben ("))
    #expect(try warnings("Ben") == [])
    let devices = try valley.ask("Ada") { replica, _ in try replica.queries.devices() }
    let one = try #require(devices.first { $0.callsign == "Ben" }).id
    try valley.at("Ada") { try $0.revoke(one, now: $1) }
    #expect(try warnings("Ada") == [])
  }

  @Test func `a disk that is almost full raises an alert until space is free`() throws {
    var valley = try Valley.with("Ada")
    func free(_ bytes: UInt64?) throws -> [String] {
      try valley.at("Ada") { replica, now in
        replica.home.freeBytes = bytes
        return try replica.reviewAlerts(now: now)
      }
      return try valley.ask("Ada") { try $0.alerts(now: $1) }.map(\.id.kind.name)
    }
    #expect(try free(nil) == [])
    #expect(try free(Limits.leastFreeBytes) == [])
    #expect(try free(Limits.leastFreeBytes - 1) == ["disk"])
    #expect(try free(0) == ["disk"])
    #expect(try free(Limits.leastFreeBytes) == [])
  }

  @Test func `an alert has its text as a key with values, also after a restart`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") {
      try $0.write(PersonRequests.claim(.needsHelp, note: "my leg"), now: $1)
    }
    try valley.converge()
    try expect(["+ danger: Ben: asked for help: my leg"], at: "Ada", in: &valley)
    let reason = Phrase(.askedForHelp, ["note": .text("my leg")])
    let phrase = Phrase(.about, ["name": .text("Ben"), "reason": .phrase(reason)])
    #expect(try valley.ask("Ada") { try $0.alerts(now: $1) }.map(\.phrase) == [phrase])
    try valley.restart("Ada")
    #expect(try valley.ask("Ada") { try $0.raisedAlerts(now: $1) }.map(\.phrase) == [phrase])
  }

  @Test func `a dead position source raises an alert at its own laptop until it gives a fix`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    func alerts(_ problem: String?, at name: String) throws -> [String] {
      try valley.at("Ada") { replica, now in
        replica.home.positionProblem = problem.map(Phrase.init(verbatim:))
        return try replica.reviewAlerts(now: now)
      }
      try valley.converge()
      return try valley.ask(name) { try $0.alerts(now: $1) }
        .map { "\($0.id.kind.name) \($0.level.name): \($0.text)" }
    }
    #expect(try alerts(nil, at: "Ada") == [])
    #expect(try alerts("no fix", at: "Ada") == ["positionSource warning: no fix"])
    #expect(try alerts("no fix", at: "Ben") == [])
    #expect(try alerts(nil, at: "Ada") == [])
  }

  @Test func `a person who becomes silent after a position raises an alert, and contact clears it`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 1000)
    valley.cut(["Ada", "Cleo"], ["Ben"])
    try valley.run(milliseconds: 500_000)
    try expect([], at: "Ada", in: &valley)
    try valley.run(milliseconds: 110_000)
    try expect(["+ warning: no contact with Ben"], at: "Ada", in: &valley)
    valley.heal()
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 2), now: $1) }
    try valley.run(milliseconds: 90_000)
    try expect(["- no contact with Ben"], at: "Ada", in: &valley)
  }

  @Test func `change counts grow over restarts, and yield the changes or a reload`() throws {
    var valley = try Valley.with("Ada", "Ben")
    var log = try valley.ask("Ada") { replica, _ in ChangeLog(starts: replica.starts) }
    let before = log.counts
    let id = RowID(raw: Bytes16(high: 1, low: 1))
    var outcome = Replica.Outcome()
    outcome.changedRows = [
      RowKey(kind: .report, id: id), RowKey(kind: .settings, id: id),
      RowKey(kind: .tracker, id: id),
    ]
    let isNew = log.note(outcome)
    #expect(isNew)
    #expect(log.counts[.reports] == before[.reports] + 1)
    #expect(log.counts[.fences] == before[.fences])
    // Settings contain the emergency contacts that alerts show.
    #expect(log.counts[.alerts] == before[.alerts] + 1)
    #expect(
      log.missedChanges(of: .reports, since: before[.reports])
        == .changed([RowKey(kind: .report, id: id)]))
    #expect(log.missedChanges(of: .reports, since: log.counts[.reports]) == .changed([]))
    #expect(log.missedChanges(of: .reports, since: 7) == .reload)
    #expect(log.missedChanges(of: .reports, since: .max) == .reload)
    let isNothing = log.note(Replica.Outcome())
    #expect(!isNothing)
    var alarm = Replica.Outcome()
    let help = AlertID(kind: .help, row: id)
    alarm.alertChanges = [
      .raised(Alert(id: help, level: .danger, text: "Ben", since: Timestamp(milliseconds: 0)))
    ]
    let isAlarm = log.note(alarm)
    #expect(isAlarm && log.counts[.alerts] == before[.alerts] + 2)

    for _ in 0..<(2 * Limits.rememberedChanges) { _ = log.note(outcome) }
    #expect(log.missedChanges(of: .reports, since: before[.reports]) == .reload)

    try valley.restart("Ada")
    let restarted = try valley.ask("Ada") { replica, _ in ChangeLog(starts: replica.starts) }
    for dataset in Dataset.allCases { #expect(restarted.counts[dataset] > log.counts[dataset]) }
  }
}
