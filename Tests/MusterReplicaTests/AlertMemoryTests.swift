import MusterModel
import MusterReplica
import Testing

/// What passes by itself raises no alert again and again (ISA-18.2, chattering alarms).
@Suite("Steady alerts")
struct AlertMemoryTests {
  /// Reviews Ada's alerts about Ben's place, and returns the changes.
  private func move(
    _ metresNorth: Int64, second: Int64, in valley: inout Valley
  ) throws -> [AlertChange] {
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: metresNorth, second: second), now: $1)
    }
    try valley.converge()
    return try valley.ask("Ada") { try $0.reviewAlerts(now: $1).alertChanges }
      .filter { change in
        switch change {
        case .raised(let alert), .cleared(let alert), .acknowledged(let alert),
          .shelved(let alert):
          alert.id.kind == .inHazard
        }
      }
  }

  @Test func `a person at the edge of a zone is one alert with a count`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Smoke", kind: .hazard, geometry: circle(metres: 100))),
        now: $1)
    }
    try valley.converge()
    // Twice the alert is raised and ends
    for second in [1, 3] as [Int64] {
      #expect(try move(0, second: second, in: &valley).count == 1)
      #expect(try move(500, second: second + 1, in: &valley).count == 1)
    }
    // The third time it stays
    guard case .raised(let alert)? = try move(0, second: 5, in: &valley).first else {
      Issue.record("the third entry raises it")
      return
    }
    #expect(alert.text.hasSuffix(", comes and goes: 3 times in 10 min"))
    for second in [6, 8, 10] as [Int64] {
      #expect(try move(500, second: second, in: &valley).isEmpty)
      #expect(try move(0, second: second + 1, in: &valley).isEmpty)
    }
    let shown = try valley.ask("Ada") { try $0.alerts(now: $1) }.first { $0.id == alert.id }
    #expect(shown?.text.hasSuffix("6 times in 10 min") == true && shown?.since == alert.since)

    // It ends two minutes after the person has left
    #expect(try move(500, second: 12, in: &valley).isEmpty)
    try valley.run(milliseconds: 121_000)
    #expect(try move(500, second: 13, in: &valley).count == 1)
  }

  @Test func `a call has one time before its first review, and after it`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    var seen: [[Timestamp]] = []
    for (name, count) in [("Ben", 1), ("Cleo", 2)] {
      try valley.at(name) { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
      try valley.converge()
      for _ in 0..<2 {
        // A node reads a copy.
        let alerts = try valley.ask("Ada") { replica, now in
          var copy = replica
          defer { replica.keep(copy.alertDates) }
          return try copy.alerts(now: now)
        }
        #expect(alerts.count == count && alerts[0].text.hasPrefix(name))
        seen.append(alerts.map(\.since))
        try valley.run(milliseconds: 5000)
      }
    }
    _ = try valley.ask("Ada") { try $0.reviewAlerts(now: $1) }
    seen.append(try valley.ask("Ada") { try $0.alerts(now: $1) }.map(\.since))
    #expect(seen[0] == seen[1] && seen[2] == seen[3] && seen[3] == seen[4])
    #expect(Array(seen[4].dropFirst()) == seen[0])
  }
}
