import MusterModel
import MusterReplica
import MusterStore
import MusterTestKit
import Testing

@Suite("Far from the command post")
struct ProvenTests {
  @Test func `two devices that joined by file read each other far from their issuer`() throws {
    // Given two devices that Ada admitted by memory stick, out of her reach
    let folder = try TemporaryFolder()
    var valley = Valley()
    try valley.found("Ada")
    var grants: [(name: String, pending: [UInt8], grant: [UInt8])] = []
    for name in ["Ben", "Cleo"] {
      let (request, pending) = try Enrolment(seed: valley.seed32())
        .request(callsign: name, passphrase: nil, seed: valley.seed32())
      let grant = try valley.at("Ada") { replica, now in
        let admitted = try replica.admit(request: request, role: .member, now: now)
        return (admitted.grant, admitted.outcome)
      }
      grants.append((name, pending, grant))
    }
    var keys: [String: Enrolment.EpochKeys] = [:]
    for (name, pending, grant) in grants {
      let (enrolment, _) = try Enrolment.resume(pending: pending, passphrase: nil)
      let (credentials, epochKeys) = try enrolment.join(grant: grant)
      let path = folder.database(name)
      try valley.switchOn(
        credentials, as: name, store: Valley.store(at: path, of: credentials), path: path)
      keys[name] = epochKeys
    }
    valley.cut(["Ada"], ["Ben", "Cleo"])
    for (name, other) in [("Ben", "Cleo"), ("Cleo", "Ben")] {
      try valley.begin(name, with: try #require(keys[name]), knowing: other)
    }
    // When one adds a report
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    // Then the other reads it, also after a restart,
    let took = try valley.wait(upTo: 30_000) { valley in
      try valley.ask("Cleo") { replica, _ in try replica.queries.reports() }.contains {
        $0.id == id
      }
    }
    #expect(took != nil)
    try valley.restart("Cleo")
    #expect(try valley.ask("Cleo") { replica, _ in try replica.verify() }.problems == [])
    #expect(
      try valley.ask("Cleo") { replica, _ in try replica.queries.report(id) }.title == "Smoke")
    // and all converge once Ada is in reach.
    valley.heal()
    let ada = valley.laptops[valley.index("Ada")].endpoint
    try valley.at("Ben") { try $0.contact([ada], now: $1) }
    try valley.converge()
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.report(id) }.title == "Smoke")
  }
}
