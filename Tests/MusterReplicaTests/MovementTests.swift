import MusterModel
import MusterReplica
import Testing

/// A lack of movement on real nodes (decision 0048).
@Suite("Movement")
struct MovementTests {
  /// Due in an hour; asks after five minutes without movement, with a minute to answer.
  private static func draft(repeats: Bool = true) -> CheckInDraft {
    var draft = CheckInDraft(durationSeconds: 3600, repeats: repeats, graceSeconds: 60)
    draft.stillSeconds = 300
    return draft
  }

  private func start(_ draft: CheckInDraft = draft(), in valley: inout Valley) throws {
    try valley.at("Ben") { try $0.write(CheckInRequests.start(draft, of: []), now: $1).outcome }
    try valley.converge()
    _ = try kinds("Ben", in: &valley)
  }

  private func kinds(_ name: String, in valley: inout Valley) throws -> [AlertKind] {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.map(\.id.kind)
      .filter { $0 == .stillness || $0 == .checkIn }
  }

  private func level(_ name: String, in valley: inout Valley) throws -> AlertLevel? {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == .checkIn }?.level
  }

  private func move(to metres: Int64, second: Int64, in valley: inout Valley) throws {
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: metres, second: second), now: $1) }
  }

  @Test func `each node raises the alarm, also if the laptop of the person is destroyed`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try start(in: &valley)
    try move(to: 0, second: 1, in: &valley)
    try valley.run(milliseconds: 120_000)
    try move(to: 3, second: 121, in: &valley)
    try valley.converge()
    try valley.switchOff("Ben")
    valley.cut(["Ada"], ["Ben"], ["Cleo"])
    try valley.run(milliseconds: 225_000)
    for name in ["Ada", "Cleo"] {
      #expect(try kinds(name, in: &valley) == [], "asked, and only Ben's own devices show it")
    }
    try valley.run(milliseconds: 20_000)
    for name in ["Ada", "Cleo"] { #expect(try level(name, in: &valley) == .warning) }
    try valley.run(milliseconds: 60_000)
    for name in ["Ada", "Cleo"] {
      #expect(try level(name, in: &valley) == .danger)
      let alert = try valley.ask(name) { try $0.alerts(now: $1) }.first { $0.id.kind == .checkIn }
      #expect(alert?.text.hasPrefix("Ben: no movement and no answer") == true)
    }
  }

  @Test func `the person is asked, and an answer or a movement starts the time again`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try start(in: &valley)
    try move(to: 0, second: 1, in: &valley)
    try valley.run(milliseconds: 290_000)
    try move(to: 2, second: 291, in: &valley)
    #expect(try kinds("Ben", in: &valley) == [])
    try valley.run(milliseconds: 15_000)
    #expect(try kinds("Ben", in: &valley) == [.stillness])
    #expect(try kinds("Ada", in: &valley) == [], "only the person is asked")
    try valley.at("Ben") {
      try $0.write(
        CheckInRequests.report(.ok, of: nil, timer: nil, seconds: 0, note: "resting"), now: $1)
    }
    try valley.converge()
    #expect(try kinds("Ben", in: &valley) == [])
    try valley.run(milliseconds: 200_000)
    #expect(try kinds("Ada", in: &valley) == [])
    // The stated stillness ends, so the movement is published, whatever the sampling settings.
    try valley.at("Ben") {
      try $0.ingest(
        fix(metresNorth: 60, second: 520), as: .watched, stepsBack: false, now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 200_000)
    for name in valley.names { #expect(try kinds(name, in: &valley) == []) }
  }

  @Test func `who answers within a timer for once is still expected back`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try start(Self.draft(repeats: false), in: &valley)
    try move(to: 0, second: 1, in: &valley)
    try valley.run(milliseconds: 250_000)
    try move(to: 1, second: 251, in: &valley)
    try valley.run(milliseconds: 60_000)
    #expect(try kinds("Ben", in: &valley) == [.stillness])
    func answer() throws {
      try valley.at("Ben") {
        try $0.write(
          CheckInRequests.report(.ok, of: nil, timer: nil, seconds: 0, note: ""), now: $1)
      }
      try valley.converge()
    }
    try answer()
    let timer = try valley.ask("Ada") { try $0.statuses(now: $1).checkIns() }.first
    #expect(timer?.state == .running)
    let left = try #require(timer?.latestSeconds)
    #expect((350...360).contains(left), "the next five minutes without movement, and a minute")
    #expect(timer?.stillSeconds == 300)
    try answer()
    #expect(try valley.ask("Ada") { try $0.statuses(now: $1).checkIns() }.map(\.state) == [.done])
  }

  @Test func `without that option no position states it, and a time out of range is refused`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let plain = CheckInDraft(durationSeconds: 3600, repeats: true)
    try start(plain, in: &valley)
    try move(to: 0, second: 1, in: &valley)
    try valley.run(milliseconds: 600_000)
    try move(to: 0, second: 601, in: &valley)
    try valley.converge()
    try valley.run(milliseconds: 600_000)
    for name in valley.names { #expect(try kinds(name, in: &valley) == []) }
    for seconds in [1, 59, Limits.spanSeconds + 1] {
      var draft = plain
      draft.stillSeconds = seconds
      #expect(throws: Refusal.self) { try start(draft, in: &valley) }
    }
  }
}
