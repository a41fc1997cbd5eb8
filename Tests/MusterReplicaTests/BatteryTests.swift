import MusterModel
import MusterReplica
import Testing

/// The batteries of devices and trackers, on every node.
@Suite("Batteries")
struct BatteryTests {
  private func battery(of callsign: String, at name: String, in valley: inout Valley) throws
    -> UInt8?
  {
    try valley.ask(name) { try $0.statuses(now: $1).users() }.first { $0.callsign == callsign }?
      .batteryPercent
  }

  private func alerts(at name: String, in valley: inout Valley) throws -> [Alert] {
    _ = try valley.ask(name) { try $0.reviewAlerts(now: $1) }
    return try valley.ask(name) { try $0.alerts(now: $1) }.filter { $0.id.kind == .battery }
  }

  private func publish(_ percent: UInt8?, second: Int64, in valley: inout Valley) throws {
    try valley.at("Ben") { (replica: inout Replica, now: ClockReading) -> Replica.Outcome in
      replica.note(batteryPercent: percent)
      return try replica.ingest(fix(metresNorth: second, second: second), now: now)
    }
    try valley.converge()
    try valley.run(milliseconds: 5000)
  }

  @Test func `a position states the battery, and a restart does not forget it`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try publish(nil, second: 1, in: &valley)
    #expect(try battery(of: "Ben", at: "Ada", in: &valley) == nil)
    try publish(64, second: 2, in: &valley)
    for name in valley.names { #expect(try battery(of: "Ben", at: name, in: &valley) == 64) }
    #expect(try battery(of: "Ada", at: "Ben", in: &valley) == nil)
    try valley.restart("Ada")
    try valley.restart("Ben")
    for name in valley.names { #expect(try battery(of: "Ben", at: name, in: &valley) == 64) }
  }

  @Test func `a laptop without a position states it in its presence`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.ask("Ben") { replica, _ in replica.note(batteryPercent: 9) }
    let elapsed = try valley.wait(upTo: 900_000) {
      try battery(of: "Ben", at: "Ada", in: &$0) == 9
    }
    #expect(elapsed != nil)
  }

  @Test func `a phone's battery is that of its carrier`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") {
      try $0.ingest(
        fix(metresNorth: 0, second: 1), ofTracker: "truck", batteryPercent: 7, now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 5000)
    #expect(try battery(of: "truck", at: "Ada", in: &valley) == 7)
    // An age that is not known yet is no contact.
    let elapsed = try valley.wait(upTo: 120_000) {
      try alerts(at: "Ada", in: &$0).map(\.text) == ["truck: battery low (7 %)"]
    }
    #expect(elapsed != nil)
    #expect(try alerts(at: "Ben", in: &valley).map(\.batteryPercent) == [7], "its owner")
  }

  @Test func `a report without a charge leaves the charge as it was`() throws {
    var valley = try Valley.with("Ada", "Ben")
    for (second, percent) in [(1, 40), (2, nil)] as [(Int64, UInt8?)] {
      try valley.at("Ben") {
        try $0.ingest(
          fix(metresNorth: Int64(second), second: second), ofTracker: "truck",
          batteryPercent: percent, now: $1)
      }
      try valley.converge()
      try valley.run(milliseconds: 5000)
      #expect(try battery(of: "truck", at: "Ada", in: &valley) == 40)
    }
  }

  @Test func `the acknowledgement of a low battery reaches the person`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try publish(12, second: 1, in: &valley)
    for name in valley.names { #expect(try alerts(at: name, in: &valley).count == 1) }
    let id = try #require(try alerts(at: "Ada", in: &valley).first).id
    try valley.at("Ada") { try $0.acknowledgeAlert(id.description, by: nil, now: $1) }
    try valley.converge()
    for name in valley.names {
      let alert = try #require(try alerts(at: name, in: &valley).first)
      #expect(alert.acknowledgement?.name == "Ada")
    }
    try publish(30, second: 2, in: &valley)
    for name in valley.names { #expect(try alerts(at: name, in: &valley) == []) }
    try publish(11, second: 3, in: &valley)
    for name in valley.names {
      #expect(try alerts(at: name, in: &valley).map(\.acknowledgement) == [nil])
    }
  }

  @Test func `a low battery raises one alert until it was charged`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try publish(16, second: 1, in: &valley)
    #expect(try alerts(at: "Ada", in: &valley) == [])
    var since: Set<Timestamp> = []
    for (second, percent) in [(2, 15), (3, 16), (4, 14), (5, 20)] as [(Int64, UInt8)] {
      try publish(percent, second: second, in: &valley)
      let raised = try alerts(at: "Ada", in: &valley)
      #expect(raised.map(\.level) == [.warning])
      since.formUnion(raised.map(\.since))
      #expect(try alerts(at: "Ben", in: &valley).count == 1, "the person")
      #expect(try alerts(at: "Cleo", in: &valley) == [], "other members")
    }
    #expect(since.count == 1, "raised once")
    try publish(21, second: 6, in: &valley)
    #expect(try alerts(at: "Ada", in: &valley) == [])
  }
}
