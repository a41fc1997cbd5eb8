import Foundation
import MusterModel
import MusterReplica
import MusterStore
import MusterTestKit
import Testing

@Suite("Invites")
struct JoiningTests {
  private let outside = Valley.endpoint(40)

  private func refusal(_ joining: Valley.Joining) -> String? {
    if case .refused(let reason) = joining { reason } else { nil }
  }

  @Test func `an invite shows its purpose`() throws {
    var valley = Valley()
    try valley.found("Ada", operation: "Fire at the ridge")
    let invitation = try valley.invitation(by: "Ada", role: .observer)

    let summary = try Enrolment.summary(ofInvitation: invitation)

    #expect(summary.operationName == "Fire at the ridge")
    #expect(summary.role == .observer)
    #expect(summary.endpoints == [Valley.endpoint(0)])
    #expect(summary.expiresAt.milliseconds(since: valley.clock.wall) == 600_000)
  }

  @Test func `an invite altered in any byte is distinguished from a rejected one`() throws {
    var valley = Valley()
    try valley.found("Ada")
    let invitation = try valley.invitation(by: "Ada")

    for index in invitation.indices {
      var altered = invitation
      altered[index] ^= 4
      #expect(throws: Enrolment.Fault.self) { try Enrolment.summary(ofInvitation: altered) }
    }
    #expect(throws: Enrolment.Fault.self) {
      try Enrolment.summary(ofInvitation: Array(invitation.dropLast()))
    }
  }

  @Test func `an expired invite is rejected with the reason`() throws {
    var valley = Valley()
    try valley.found("Ada")
    let invitation = try valley.invitation(by: "Ada", validMilliseconds: 60_000)
    try valley.run(milliseconds: 60_001)

    var enrolment = Enrolment(seed: valley.seed32())
    let joining = try valley.attempt(&enrolment, invitation: invitation, from: outside)

    let reason = try #require(refusal(joining), "\(joining)")
    #expect(reason.contains("the invite expired ") && reason.contains(" s ago"), "\(reason)")
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.count == 1)
  }

  @Test func `an invite for one is used up by the first, however often it requests`() throws {
    // Given an invite for one, and a network that loses every second datagram
    var valley = Valley(seed: 7)
    try valley.found("Ada")
    let invitation = try valley.invitation(by: "Ada", uses: 1)
    valley.air.lossPercent = 50

    // When one device joins, gets its answer, and requests again
    var first = Enrolment(seed: valley.seed32())
    for _ in 0..<3 {
      let joining = try valley.attempt(
        &first, invitation: invitation, upTo: 60_000, from: outside)
      guard case .joined = joining else { throw Valley.JoinFailure(joining: "\(joining)") }
    }
    // And then another one
    var second = Enrolment(seed: valley.seed32())
    let late = try valley.attempt(
      &second, invitation: invitation, upTo: 60_000, from: Valley.endpoint(41))

    #expect(refusal(late) == "the invite is used up: ask for a new one", "\(late)")
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.count == 2)
    #expect(try valley.laptops[0].store.invites().map(\.usesLeft) == [0])
  }

  @Test func `a withdrawn invite admits no further device, also after a restart`() throws {
    let folder = try TemporaryFolder()
    var valley = Valley()
    try valley.found("Ada", path: folder.database("Ada"))
    // Given a paper for five devices, by which one has joined, and another invite
    let paper = try valley.invitation(by: "Ada", uses: 5)
    let other = try valley.invitation(by: "Ada")
    var first = Enrolment(seed: valley.seed32())
    guard case .joined = try valley.attempt(&first, invitation: paper, from: outside) else {
      throw Valley.JoinFailure(joining: "the first device did not join")
    }
    let before = try valley.ask("Ada") { try $0.queries.invites(now: $1) }
    #expect(before.map(\.state) == [.open, .open] && before.map(\.usesLeft) == [4, 1])
    let lost = try #require(before.first { $0.devices.count == 1 })
    // When the paper is lost, and its invite withdrawn
    let withdrawn = try valley.ask("Ada") {
      try $0.withdrawInvite(String("\(lost.id)".prefix(6)), now: $1)
    }
    #expect(withdrawn.state == .withdrawn && withdrawn.devices == lost.devices)
    try valley.restart("Ada")
    // Then its finder reads the reason
    var finder = Enrolment(seed: valley.seed32())
    let late = try valley.attempt(
      &finder, invitation: paper, upTo: 60_000, from: Valley.endpoint(41))
    #expect(refusal(late) == "the invite was withdrawn: ask for a new one", "\(late)")
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.count == 2)
    // And the device that had joined, and lost the answer, gets it again
    guard case .joined = try valley.attempt(&first, invitation: paper, from: outside) else {
      throw Valley.JoinFailure(joining: "the first device lost its answer")
    }
    var third = Enrolment(seed: valley.seed32())
    guard
      case .joined = try valley.attempt(&third, invitation: other, from: Valley.endpoint(42))
    else { throw Valley.JoinFailure(joining: "another invite was withdrawn too") }
    for reference in ["0000", "x", ""] where !"\(lost.id)".hasPrefix("0000") {
      #expect(throws: Refusal.self, "\(reference)") {
        try valley.ask("Ada") { _ = try $0.withdrawInvite(reference, now: $1) }
      }
    }
  }

  @Test func `a restored disk admits no device by the invites that were open in the backup`() throws
  {
    let folder = try TemporaryFolder()
    var valley = Valley()
    try valley.found("Ada", path: folder.database("Ada"))
    let paper = try valley.invitation(by: "Ada", uses: 5)
    // Given a backup, and an invite that is withdrawn after it
    let backup = folder.database("backup")
    try valley.switchOff("Ada")
    try FileManager.default.copyItem(atPath: folder.database("Ada"), toPath: backup)
    try valley.switchOn("Ada")
    let id = try #require(try valley.ask("Ada") { try $0.queries.invites(now: $1) }.first).id
    _ = try valley.ask("Ada") { try $0.withdrawInvite("\(id)", now: $1) }
    // When the disk is restored
    try valley.switchOff("Ada")
    let old = valley.laptops[0]
    valley.laptops[0] = Valley.Laptop(
      name: "Ada", endpoint: old.endpoint, credentials: old.credentials, path: backup,
      store: old.store)
    try valley.switchOn("Ada", start: .startsIncarnation(above: 1))
    // Then the finder of the paper does not join, and a new invite admits a device.
    #expect(try valley.ask("Ada") { try $0.queries.invites(now: $1) }.map(\.state) == [.withdrawn])
    var finder = Enrolment(seed: valley.seed32())
    let late = try valley.attempt(&finder, invitation: paper, upTo: 60_000, from: outside)
    #expect(refusal(late) == "the invite was withdrawn: ask for a new one", "\(late)")
    let new = try valley.invitation(by: "Ada")
    var other = Enrolment(seed: valley.seed32())
    guard case .joined = try valley.attempt(&other, invitation: new, from: Valley.endpoint(41))
    else { throw Valley.JoinFailure(joining: "the new invite admits no device") }
    // A restart closes none.
    let open = try valley.invitation(by: "Ada")
    try valley.restart("Ada")
    var last = Enrolment(seed: valley.seed32())
    guard case .joined = try valley.attempt(&last, invitation: open, from: Valley.endpoint(42))
    else { throw Valley.JoinFailure(joining: "a restart closed an invite") }
  }

  @Test func `an admitted device gets its answer again, even after the invite's expiry`() throws {
    var valley = Valley()
    try valley.found("Ada")
    let invitation = try valley.invitation(by: "Ada", validMilliseconds: 60_000)
    var enrolment = Enrolment(seed: valley.seed32())
    _ = try valley.attempt(&enrolment, invitation: invitation, from: outside)
    try valley.run(milliseconds: 60_001)

    let again = try valley.attempt(&enrolment, invitation: invitation, from: outside)

    guard case .joined = again else { throw Valley.JoinFailure(joining: "\(again)") }
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.count == 2)
  }

  @Test func `an invite of another operation gets no answer`() throws {
    var valley = Valley(seed: 3)
    try valley.found("Ada")
    var elsewhere = Valley(seed: 4)
    try elsewhere.found("Eve", operation: "Elsewhere")
    let foreign = try elsewhere.invitation(by: "Eve")

    // Eve's invite contains the address of Ada's device.
    var enrolment = Enrolment(seed: valley.seed32())
    let joining = try valley.attempt(&enrolment, invitation: foreign, from: outside)

    guard case .noAnswer = joining else { throw Valley.JoinFailure(joining: "\(joining)") }
    #expect(Set(valley.laptops[0].rejections) == ["unknownInvite"])
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.count == 1)
  }

  @Test func `an invite survives the restart of the device that made it`() throws {
    let folder = try TemporaryFolder()
    var valley = Valley()
    try valley.found("Ada", path: folder.database("Ada"))
    let invitation = try valley.invitation(by: "Ada")
    try valley.restart("Ada")

    var enrolment = Enrolment(seed: valley.seed32())
    let joining = try valley.attempt(&enrolment, invitation: invitation, from: outside)

    guard case .joined(let credentials, _) = joining else {
      throw Valley.JoinFailure(joining: "\(joining)")
    }
    #expect(credentials.role == .member)
  }

  @Test func `four certificates below the root are the limit`() throws {
    var valley = Valley()
    try valley.found("Ada", operation: String(repeating: "n", count: Limits.lineBytes))
    try valley.join("Ben", invitedBy: "Ada", role: .command)
    try valley.join("Cleo", invitedBy: "Ben", role: .command)
    try valley.join("Dora", invitedBy: "Cleo", role: .command)
    try valley.converge()

    let ranks = try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.map(\.rank)
    #expect(ranks.sorted() == [1, 2, 3, 4])
    #expect(throws: Refusal.self) { try valley.invitation(by: "Dora") }
  }

  @Test func `a join request and its grant are carried as files`() throws {
    var valley = Valley()
    try valley.found("Ada")
    let ada = try #require(try valley.ask("Ada") { try $0.statuses(now: $1).users() }.first).id
    let (request, pending) = try Enrolment(seed: valley.seed32())
      .request(callsign: "Ben", passphrase: nil, seed: valley.seed32())

    // When Ada admits the request file
    let (grant, callsign) = try valley.at("Ada") { replica, now in
      let admitted = try replica.admit(request: request, role: .member, now: now)
      return ((admitted.grant, admitted.callsign), admitted.outcome)
    }
    // Then Ben is listed by the callsign of the request before his device was started
    let ben = try #require(
      try valley.ask("Ada") { try $0.statuses(now: $1).users() }.first { $0.id != ada })
    try valley.at("Ada") { try $0.write(PersonRequests.setCallsign(callsign, of: ben.id), now: $1) }
    try valley.at("Ada") { try $0.write(PersonRequests.setCallsign("Other", of: ben.id), now: $1) }
    #expect(
      try valley.ask("Ada") { try $0.statuses(now: $1).users() }.map(\.callsign).contains("Ben"))
    // and, after a restart, takes part
    let (enrolment, name) = try Enrolment.resume(pending: pending, passphrase: nil)
    let (credentials, keys) = try enrolment.join(grant: grant)
    try valley.switchOn(credentials, as: "Ben", store: .inMemory(), path: nil)
    try valley.begin("Ben", with: keys, knowing: "Ada")
    try valley.converge()

    #expect(callsign == "Ben")
    #expect(name == "Ben")
    let users = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    #expect(Set(users.map(\.callsign)) == ["Ada", "Ben"])
  }

  @Test func `another device of a person is theirs, and has their callsign`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    try valley.join("Ben's second", invitedBy: "Ada", of: ben)
    try valley.converge()
    #expect(valley.laptops[2].credentials.user == ben)
    for name in valley.names {
      let users = try valley.ask(name) { try $0.statuses(now: $1).users() }
      #expect(Set(users.map(\.callsign)) == ["Ada", "Ben"] && users.count == 2)
      let devices = try valley.ask(name) { replica, _ in try replica.queries.devices() }
      #expect(devices.count { $0.callsign == "Ben" } == 2)
    }
    // A repeated request receives the same answer, for this person only.
    let (request, _) = try Enrolment(seed: valley.seed32())
      .request(callsign: "Ben", passphrase: nil, seed: valley.seed32())
    for _ in 1...2 {
      let user = try valley.at("Ada") { replica, now in
        let admitted = try replica.admit(request: request, role: .member, of: ben, now: now)
        return (admitted.user, admitted.outcome)
      }
      #expect(user == ben)
    }
    let ada = valley.laptops[0].credentials.user
    #expect(throws: Refusal.self) {
      try valley.ask("Ada") { try $0.admit(request: request, role: .member, of: ada, now: $1) }
    }
  }

  @Test func `nothing and no one else receives another device`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    let absent = UserID(raw: Bytes16(high: 1, low: 2))
    #expect(throws: Refusal.self) { try valley.invitation(by: "Ada", of: absent) }
    for role in [Role.relay, .archive] {
      #expect(throws: Refusal.self) { try valley.invitation(by: "Ada", role: role, of: ben) }
    }
    #expect(throws: Refusal.self) { try valley.invitation(by: "Ada", of: ben, uses: 2) }
    #expect(throws: Refusal.self) { try valley.invitation(by: "Ben", of: ben) }
  }

  @Test func `a revocation closes the open invites of its person, and no later one`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let ben = valley.laptops[1].credentials.user
    let (early, open) = (
      try valley.invitation(by: "Ada", of: ben), try valley.invitation(by: "Ada")
    )
    // When Ben's only device is stolen
    let lost = valley.laptops[1].credentials.device
    try valley.at("Ada") { try $0.revoke(lost, now: $1) }
    // then what its thief may have seen admits no device that speaks for Ben,
    func attempt(_ invitation: [UInt8], _ number: Int) throws -> Valley.Joining {
      var enrolment = Enrolment(seed: valley.seed32())
      return try valley.attempt(
        &enrolment, invitation: invitation, from: Valley.endpoint(10 + number))
    }
    guard case .refused(let reason) = try attempt(early, 1) else {
      Issue.record("the early invite was accepted")
      return
    }
    #expect(reason.contains("a device of this person was revoked"))
    // and others are as before.
    guard case .joined = try attempt(open, 2) else {
      Issue.record("the invite of no person was rejected")
      return
    }
    try valley.join("Ben's second", invitedBy: "Ada", of: ben)
    #expect(valley.laptops[2].credentials.user == ben)
    // The next revocation closes what was made after the first one.
    let second = try valley.invitation(by: "Ada", of: ben)
    let next = valley.laptops[2].credentials.device
    try valley.at("Ada") { try $0.revoke(next, now: $1) }
    guard case .refused = try attempt(second, 3) else {
      Issue.record("the second invite was accepted")
      return
    }
  }

  @Test func `altered and foreign files are rejected in one line`() throws {
    var valley = Valley()
    try valley.found("Ada")
    let ben = Enrolment(seed: valley.seed32())
    let (request, pending) = try ben.request(
      callsign: "Ben", passphrase: nil, seed: valley.seed32())
    let grant = try valley.at("Ada") { replica, now in
      let admitted = try replica.admit(request: request, role: .member, now: now)
      return (admitted.grant, admitted.outcome)
    }

    var altered = request
    altered[altered.count - 1] ^= 1
    #expect(throws: Refusal.self) {
      try valley.ask("Ada") { try $0.admit(request: altered, role: .member, now: $1) }
    }
    #expect(throws: Enrolment.Fault.self) { try ben.join(grant: Array(grant.dropLast())) }
    #expect(throws: Enrolment.Fault.self) {
      try Enrolment(seed: valley.seed32()).join(grant: grant)
    }
    #expect(throws: SecretFileFault.malformed) {
      try Enrolment.resume(pending: pending.dropLast(), passphrase: nil)
    }
    let devices = try valley.ask("Ada") { replica, _ in try replica.queries.devices() }
    #expect(devices.count == 2)
  }
}
