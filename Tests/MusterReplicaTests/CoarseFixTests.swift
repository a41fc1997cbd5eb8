import MusterModel
import MusterReplica
import MusterTestKit
import Testing

/// A coarse fix supersedes no fine fix in danger, although nodes store one position of each device.
@Suite struct CoarseFixTests {
  /// Ada commands, and draws a hazard zone of 100 m around Ben's first fix.
  private func valley(_ names: String..., in folder: TemporaryFolder? = nil) throws -> Valley {
    var valley = try Valley.with("Ada", "Ben", in: folder)
    for name in names { try valley.join(name, invitedBy: "Ada", path: folder?.database(name)) }
    // A check of the invariants would bring the statuses up to date.
    valley.checksInvariants = false
    try valley.draw("Fire", .hazard)
    return valley
  }

  private func ingest(
    _ metresNorth: Int64, _ second: Int64, accuracyMetres: UInt32?, in valley: inout Valley
  ) throws {
    let fix = fix(metresNorth: metresNorth, second: second, accuracyMetres: accuracyMetres)
    try valley.at("Ben") { try $0.ingest(fix, now: $1) }
  }

  private func status(
    of callsign: String, by name: String, in valley: inout Valley
  ) throws -> PersonStatus? {
    let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
    return try #require(users.first { $0.callsign == callsign }).status
  }

  private func expect(
    _ status: PersonStatus, by names: String..., in valley: inout Valley, _ comment: Comment
  ) throws {
    for name in names {
      let found = try self.status(of: "Ben", by: name, in: &valley)
      #expect(found == status, "by \(name): \(comment)")
    }
  }

  @Test func `A coarse fix before the next look at the statuses clears no danger`() throws {
    var valley = try valley()
    try ingest(0, 1, accuracyMetres: 5, in: &valley)
    try valley.converge()
    try ingest(300, 2, accuracyMetres: 500, in: &valley)
    try valley.converge()
    try expect(.inHazard, by: "Ada", "Ben", in: &valley, "the circle overlaps the zone")

    try ingest(700, 3, accuracyMetres: 500, in: &valley)
    try valley.converge()
    try expect(.ok, by: "Ada", "Ben", in: &valley, "the whole circle is outside")
    try ingest(400, 4, accuracyMetres: 500, in: &valley)
    try valley.converge()
    try expect(.ok, by: "Ada", "Ben", in: &valley, "the danger was cleared before")
  }

  @Test func `A node that receives the coarse fix alone shows the danger`() throws {
    var valley = try valley()
    try ingest(0, 1, accuracyMetres: 5, in: &valley)
    try ingest(300, 2, accuracyMetres: 500, in: &valley)
    try ingest(320, 3, accuracyMetres: 2000, in: &valley)
    try valley.converge()
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    try expect(.inHazard, by: "Cleo", in: &valley, "after two coarse fixes")

    try ingest(300, 4, accuracyMetres: 5, in: &valley)
    try ingest(310, 5, accuracyMetres: 500, in: &valley)
    try valley.join("Dan", invitedBy: "Ada")
    try valley.converge()
    try expect(.ok, by: "Ada", "Ben", "Cleo", in: &valley, "a fine fix outside clears")
    // Dan has exchanged no record with Ben that bounds his age.
    try expect(.noContact, by: "Dan", in: &valley, "without a danger")
  }

  @Test func `A coarse fix in a zone is carried too`() throws {
    var valley = try valley()
    try ingest(5000, 1, accuracyMetres: 5, in: &valley)
    try ingest(0, 2, accuracyMetres: 500, in: &valley)
    for second: Int64 in 3...20 {
      try ingest(400, second, accuracyMetres: 500, in: &valley)
    }
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    try expect(.inHazard, by: "Ada", "Ben", "Cleo", in: &valley, "none of 18 clears it")
  }

  @Test func `Danger outlives a restart of the observer and of the device`() throws {
    let folder = try TemporaryFolder()
    var valley = try valley(in: folder)
    try ingest(0, 1, accuracyMetres: 5, in: &valley)
    try valley.converge()
    try valley.restart("Ben")
    try ingest(300, 2, accuracyMetres: 500, in: &valley)
    try valley.converge()
    for name in ["Ada", "Ben"] { try valley.restart(name) }
    try valley.converge()
    try expect(.inHazard, by: "Ada", "Ben", in: &valley, "after a restart")
  }

  @Test func `A tracker's coarse fix clears no danger`() throws {
    var valley = try valley()
    for (second, metres, accuracy) in [(Int64(1), Int64(0), UInt32(5)), (2, 300, 500)] {
      let fix = fix(metresNorth: metres, second: second, accuracyMetres: accuracy)
      try valley.at("Ben") { try $0.ingest(fix, ofTracker: "Phone", now: $1) }
    }
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    for name in valley.names {
      #expect(try status(of: "Phone", by: name, in: &valley) == .inHazard, "by \(name)")
    }
  }

  @Test func `Fixes without a key to seal them are carried by the first one that has it`() throws {
    let folder = try TemporaryFolder()
    var valley = try valley("Cleo", in: folder)
    try valley.join("Relay", invitedBy: "Ada", role: .relay)
    try ingest(5000, 1, accuracyMetres: 5, in: &valley)
    try valley.converge()
    // When a relay passes a revocation to Ben, but no key that excludes Cleo,
    valley.cut(["Ada", "Relay"], ["Ben"], ["Cleo"])
    let cleo = valley.laptops[valley.index("Cleo")].credentials.device
    try valley.at("Ada") { try $0.revoke(cleo, now: $1) }
    try valley.run(milliseconds: 20_000)
    valley.cut(["Ada"], ["Ben", "Relay"], ["Cleo"])
    let known = try valley.wait(upTo: 60_000) {
      try $0.ask("Ben") { replica, _ in try replica.queries.devices() }.contains { $0.isRevoked }
    }
    try #require(known != nil)
    // and he enters the zone, and his device restarts
    try ingest(0, 2, accuracyMetres: 5, in: &valley)
    try ingest(300, 3, accuracyMetres: 500, in: &valley)
    try valley.restart("Ben")
    valley.cut(["Ada", "Ben", "Relay"], ["Cleo"])
    let shown = try valley.wait(upTo: 60_000) {
      try status(of: "Ben", by: "Ada", in: &$0) == .inHazard
    }
    #expect(shown != nil)
  }

  @Test func `An accounting that names the coarse fix remains in effect`() throws {
    var valley = try valley()
    try ingest(0, 1, accuracyMetres: 5, in: &valley)
    try ingest(300, 2, accuracyMetres: 500, in: &valley)
    try valley.converge()
    let ben = valley.laptops[valley.index("Ben")].credentials.user
    try valley.at("Ada") {
      try $0.write(PersonRequests.overrideSafety(of: ben, .safe, note: ""), now: $1)
    }
    try ingest(310, 3, accuracyMetres: 500, in: &valley)
    try valley.join("Cleo", invitedBy: "Ada")
    try valley.converge()
    try expect(
      .accountedFor, by: "Ada", "Ben", "Cleo", in: &valley, "the fix in the zone is older")
    try ingest(0, 4, accuracyMetres: 5, in: &valley)
    try valley.converge()
    try expect(.inHazard, by: "Ada", "Ben", "Cleo", in: &valley, "a newer fix in the zone")
  }
}
