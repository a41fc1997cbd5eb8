import MusterModel
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("A cloned device")
struct CloneTests {
  private func report(_ title: String, at name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.write(ReportRequests.add(ReportDraft(title: title)), now: $1) }
  }

  private func clones(_ name: String, in valley: inout Valley) throws -> [CloneSummary] {
    try valley.ask(name) { try $0.status(now: $1) }.clones
  }

  /// Whether every running node reports that Ben's device has a clone, and no other device.
  private func isReported(in valley: inout Valley) throws -> Bool {
    for name in valley.names {
      guard try clones(name, in: &valley).map(\.callsign) == ["Ben"] else { return false }
    }
    return true
  }

  private func incarnationState(_ name: String, in valley: inout Valley) throws
    -> Replica.IncarnationState
  {
    try valley.ask(name) { replica, _ in replica.incarnationState }
  }

  /// Ada and Cleo, and Ben's device with a copy that its sentinel detects, on both sides of a
  /// partition.
  private func copied(in folder: TemporaryFolder) throws -> Valley {
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    try valley.copy("Ben", as: "Ben's copy", in: folder)
    valley.cut(["Ada", "Ben"], ["Cleo", "Ben's copy"])
    try valley.restart("Ben's copy", start: .startsIncarnation(above: 0))
    return valley
  }

  @Test(arguments: [true, false])
  func `two clones that write in incarnations of their own are reported everywhere in a minute`(
    multicast: Bool
  ) throws {
    let folder = try TemporaryFolder()
    var valley = try copied(in: folder)
    valley.hasMulticast = multicast
    try report("By Ben", at: "Ben", in: &valley)
    try report("By the copy", at: "Ben's copy", in: &valley)
    try valley.run(milliseconds: 5000)
    #expect(try valley.names.allSatisfy { try clones($0, in: &valley).isEmpty })
    // When the partition heals
    valley.heal()
    let reported = try valley.wait(upTo: 60_000) { try isReported(in: &$0) }
    // Then all report it, nothing has forked,
    #expect(reported != nil)
    try valley.converge()
    #expect(try valley.ask("Ada") { try $0.status(now: $1) }.forks.isEmpty)
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.count == 3)
    // each node raises one alert,
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.filter { $0.id.kind == .clone && $0.level == .danger }.count == 1)
    // both keep their incarnations,
    let incarnations = try ["Ben", "Ben's copy"].map { try incarnationState($0, in: &valley) }
    try valley.run(milliseconds: 120_000)
    #expect(
      try ["Ben", "Ben's copy"].map { try incarnationState($0, in: &valley) } == incarnations)
    #expect(incarnations.allSatisfy { $0.generation <= 5 })
    // and restarts change nothing.
    for name in valley.names { try valley.restart(name) }
    #expect(try isReported(in: &valley))
  }

  @Test func `a copy that only receives is detected by the records of its incarnation`() throws {
    let folder = try TemporaryFolder()
    var valley = try copied(in: folder)
    valley.heal()
    #expect(try valley.wait(upTo: 60_000) { try isReported(in: &$0) } != nil)
  }

  @Test func `disks that were copied completely fork, and are reported as clones as well`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    try valley.copy("Ben", as: "Ben's copy", in: folder)
    valley.cut(["Ada", "Ben"], ["Cleo", "Ben's copy"])
    try report("By Ben", at: "Ben", in: &valley)
    try report("By the copy", at: "Ben's copy", in: &valley)
    try valley.run(milliseconds: 5000)
    valley.heal()
    #expect(try valley.wait(upTo: 60_000) { try isReported(in: &$0) } != nil)
  }

  @Test func `copied disks that only publish positions are reported too`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    try valley.copy("Ben", as: "Ben's copy", in: folder)
    for step in 0..<3 {
      for name in step == 0 ? ["Ben", "Ben's copy"] : ["Ben"] {
        let place = try #require(Coordinate(latitude: 41, longitude: -8 + Double(step) / 100))
        let fix = Fix(
          position: place, accuracyDecimetres: 50, sampleTime: valley.clock.wall)
        try valley.at(name) { try $0.ingest(fix, now: $1) }
        try valley.run(milliseconds: 2000)
      }
    }
    #expect(try valley.wait(upTo: 60_000) { try isReported(in: &$0) } != nil)
  }

  @Test func `the alert ends when the device is revoked`() throws {
    let folder = try TemporaryFolder()
    var valley = try copied(in: folder)
    valley.heal()
    _ = try valley.wait(upTo: 60_000) { try isReported(in: &$0) }
    let device = valley.laptops[valley.index("Ben")].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    let over = try valley.wait(upTo: 60_000) { valley in
      try ["Ada", "Cleo"].allSatisfy { try clones($0, in: &valley).isEmpty }
    }
    #expect(over != nil)
    #expect(!(try valley.ask("Ada") { try $0.alerts(now: $1) }.contains { $0.id.kind == .clone }))
  }

  @Test func `repeatedly restored backups are not reported as clones`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    let backups = ["first", "second", "third"]
    for name in backups {
      try valley.copy("Ben", as: name, in: folder)
      try valley.switchOff(name)
    }
    // When each replaces the previous one, which stays off: one with its sentinel restored, one
    // that the sentinel detects, and another that is restored completely
    var before = "Ben"
    for (number, name) in backups.enumerated() {
      try report("By \(before)", at: before, in: &valley)
      try valley.converge()
      try valley.switchOff(before)
      try valley.switchOn(name, start: number == 1 ? .startsIncarnation(above: 0) : .continues)
      try valley.converge()
      try report("By \(name)", at: name, in: &valley)
      try valley.converge()
      try valley.restart(name)
      before = name
    }
    // Then everything is present, and no clone is reported.
    try valley.run(milliseconds: 120_000)
    for name in valley.names { #expect(try clones(name, in: &valley).isEmpty, "at \(name)") }
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.count >= 5)
  }
}
