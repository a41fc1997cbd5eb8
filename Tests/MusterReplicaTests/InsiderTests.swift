import MusterAttackers
import MusterModel
import MusterStore
import MusterSync
import MusterTestKit
import Testing

@testable import MusterReplica

/// One enrolled device with valid keys that is malicious, stolen or faulty. The rows are those of
/// the fault matrix.
@Suite("One insider cannot silence others")
struct InsiderTests {
  // MARK: Admission of revoked devices

  @Test func `I1: a revoked device that repeats its join receives no key`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let invitation = try valley.invitation(by: "Ada", uses: 2)
    let seed = valley.seed32()
    var mallory = Enrolment(seed: seed)
    let place = Valley.endpoint(9)
    guard
      case .joined(let credentials, _) = try valley.attempt(
        &mallory, invitation: invitation, from: place)
    else {
      Issue.record("Mallory does not join at first")
      return
    }
    try valley.at("Ada") { try $0.revoke(credentials.device, now: $1) }
    try valley.at("Ada") { try $0.rotateEpoch(now: $1) }

    // The same keys again, while the invite has a use left,
    var again = Enrolment(seed: seed)
    expectRefused(
      try valley.attempt(&again, invitation: invitation, from: Valley.endpoint(10)), "revoked")
    // new keys with the same invite, whose secret Mallory knows,
    var other = Enrolment(seed: valley.seed32())
    expectRefused(
      try valley.attempt(&other, invitation: invitation, from: Valley.endpoint(11)), "closed")
    // and after the invite has expired.
    try valley.run(milliseconds: 700_000)
    try valley.at("Ada") { try $0.rotateEpoch(now: $1) }
    var late = Enrolment(seed: seed)
    expectRefused(
      try valley.attempt(&late, invitation: invitation, from: Valley.endpoint(12)), "revoked")

    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .readmission })
  }

  @Test func `I1: the old request file of a revoked device is not admitted again`() throws {
    var valley = try Valley.with("Ada")
    let (request, _) = try Enrolment(seed: valley.seed32())
      .request(callsign: "Mallory", passphrase: nil, seed: valley.seed32())
    try valley.at("Ada") { try $0.admit(request: request, role: .member, now: $1).outcome }
    let device = try valley.ask("Ada") { replica, _ in replica.core.control.admissions }
      .map(\.signed.certificate).first { $0.role == .member }?.device
    try valley.at("Ada") { try $0.revoke(try #require(device), now: $1) }
    #expect(throws: Refusal.self) {
      try valley.at("Ada") { replica, now in
        try replica.admit(request: request, role: .member, now: now).outcome
      }
    }
  }

  private func expectRefused(_ joining: Valley.Joining, _ word: String) {
    guard case .refused(let reason) = joining else {
      Issue.record("\(joining) instead of a refusal")
      return
    }
    #expect(reason.contains(word), "\(reason)")
  }

  // MARK: Certificates

  @Test(arguments: [2, 4, 6])
  func `I2: a call for help passes every hop while the admitter is away`(hops: Int) throws {
    // Given a chain of devices that Ada admitted, the last of them while she met no other,
    let names = (0..<hops).map { "Hop\($0)" }
    var valley = try Valley.with("Ada", names[0])
    for name in names.dropFirst() { try valley.join(name, invitedBy: "Ada") }
    try valley.converge()
    for name in names { try valley.switchOff(name) }
    try valley.join("Xena", invitedBy: "Ada")
    // whose own device is destroyed before it meets any other.
    try valley.switchOff("Ada")
    for name in names { try valley.switchOn(name) }
    valley.lineUp(names + ["Xena"])
    let neighbour = valley.laptops[valley.index(try #require(names.last))].endpoint
    try valley.at("Xena") { try $0.contact([neighbour], now: $1) }
    let met = try valley.wait(upTo: 30_000) { valley in
      try valley.ask("Xena") { try $0.status(now: $1) }.peers.contains { $0.isConnected }
    }
    #expect(met != nil)
    // When Xena calls for help
    let id = try valley.at("Xena") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Trapped", toEvacuate: true)), now: $1)
    }
    // Then it is shown at the other end within seconds,
    let took = try valley.wait(upTo: 5_000) { valley in
      try valley.ask(names[0]) { replica, _ in try replica.queries.reports() }.contains {
        $0.id == id
      }
    }
    #expect(took != nil, "it does not pass \(hops) hops")
    // and all converge, also after a restart.
    try valley.converge()
    #expect(try valley.ask(names[0]) { replica, _ in try replica.verify() }.problems == [])
  }

  // MARK: Bounds

  @Test(arguments: [Lane.control, .urgent, .state])
  func `I4: a member that opens endless logs uses no one else's limit`(lane: Lane) throws {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    for _ in 0..<3 {
      try valley.at("Mallory") { try MaliciousMember.openLogs(&$0, 40, lane: lane, now: $1) }
      try valley.run(milliseconds: 20_000)
    }
    // Others hold as many as the limit allows and name the device,
    let mallory = valley.laptops[valley.index("Mallory")].credentials.device
    let logs = try valley.laptops[valley.index("Ben")].store.logs().filter {
      $0.opening.certificate == valley.laptops[valley.index("Mallory")].credentials.certificate
        && $0.opening.lane == lane
    }
    #expect(logs.count <= Limits.logsPerLane)
    let reached = try valley.ask("Ben") { replica, _ in try replica.queries.boundsReached }
    #expect(reached.contains { $0.device == mallory && $0.bound == .logs })
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .bound && $0.id.row.raw == mallory.raw })
    // data of a newcomer and of a new incarnation of a known device is accepted,
    try valley.join("Nora", invitedBy: "Ada")
    let id = try valley.at("Nora") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Fire", toEvacuate: true)), now: $1)
    }
    try valley.restart("Ben", start: .startsIncarnation(above: 1))
    let other = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Flood", toEvacuate: true)), now: $1)
    }
    for name in ["Ada", "Ben", "Nora"] {
      let took = try valley.wait(upTo: 10_000) { valley in
        let shown = try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.id)
        return shown.contains(id) && shown.contains(other)
      }
      #expect(took != nil, "\(name) does not see what others wrote")
    }
    // and one revocation ends it: all others converge.
    try valley.at("Ada") { try $0.revoke(mallory, now: $1) }
    try valley.switchOff("Mallory")
    if lane == .control {
      // Control logs after a cut-off stay in their set, since a revocation may become void: devices
      // may hold different ones beyond the limit, but the same ones count.
      try valley.run(milliseconds: 60_000)
      #expect(Set(try valley.hashes()).count == 1)
    } else {
      try valley.converge(within: 120_000)
    }
    #expect(try valley.ask("Ben") { replica, _ in try replica.queries.boundsReached }.isEmpty)
  }

  @Test func `I4: openings without further frames are not held`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    let before = try valley.laptops[valley.index("Ben")].store.logs().count
    try valley.at("Mallory") {
      try MaliciousMember.openLogs(&$0, 200, lane: .state, areBare: true, now: $1)
    }
    try valley.run(milliseconds: 30_000)
    #expect(try valley.laptops[valley.index("Ben")].store.logs().count == before)
    #expect(try valley.hashes().count == 3)
  }

  @Test func `a device with more logs than a revocation can name is revoked nevertheless`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let mallory = valley.laptops[valley.index("Ben")].credentials
    // Given that Ada held them before there was a limit.
    try valley.at("Ben") {
      try MaliciousMember.openLogs(&$0, Limits.cutsPerRevocation + 30, lane: .state, now: $1)
    }
    let (his, hers) = (valley.laptops[valley.index("Ben")], valley.laptops[0])
    var batch = Batch()
    for log in try his.store.logs() where try hers.store.log(log.log) == nil {
      let frames = try his.store.frames(
        log: log.log, from: 0, maxBytes: 1 << 20, maxFrames: 100)
      for frame in frames {
        batch.frames.append(
          HeldFrame(
            frame: frame, opening: frame.sequence == 0 ? log.opening : nil, application: .nothing))
      }
    }
    _ = try hers.store.commit(batch)
    try valley.restart("Ada")
    try valley.at("Ada") { try $0.revoke(mallory.device, now: $1) }
    #expect(try valley.ask("Ada") { replica, _ in replica.core.control.isRevoked(mallory.device) })
  }

  @Test func `I8: frames under invented epochs delay no one's next key`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mallory")
    try valley.at("Mallory") { try MaliciousMember.sealUnderMadeUpEpochs(&$0, 60, now: $1) }
    try valley.run(milliseconds: 20_000)
    try valley.at("Ada") { try $0.rotateEpoch(now: $1) }
    let id = try valley.at("Ada") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Fire")), now: $1)
    }
    let took = try valley.wait(upTo: 5_000) { valley in
      try valley.ask("Ben") { replica, _ in try replica.queries.reports() }.contains { $0.id == id }
    }
    #expect(took != nil)
  }

  @Test(arguments: [false, true])
  func `I13: a rotation takes effect in spite of any announced epoch`(byCommand: Bool) throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Mallory", invitedBy: "Ada", role: byCommand ? .command : .member)
    try valley.join("Olaf", invitedBy: "Ada")
    try valley.converge()
    let olaf = valley.laptops[valley.index("Olaf")].credentials.device
    try valley.at("Ada") { try $0.revoke(olaf, now: $1) }
    try valley.run(milliseconds: 10_000)
    try valley.at("Mallory") {
      try MaliciousMember.announceEpoch(
        &$0, generation: .max, excludesRevocations: true, tries: 1000, now: $1)
    }
    try valley.run(milliseconds: 10_000)
    try valley.at("Ada") { try $0.rotateEpoch(now: $1) }
    try valley.run(milliseconds: 10_000)
    let current = try valley.ask("Ada") { replica, _ in try replica.queries.writingEpoch }
    #expect(current?.isOwn == true)
    for name in ["Ben", "Mallory"] {
      #expect(
        try valley.ask(name) { replica, _ in try replica.queries.writingEpoch }?.id == current?.id)
    }
  }
}
