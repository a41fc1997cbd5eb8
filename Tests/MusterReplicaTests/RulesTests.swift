import MusterCrypto
import MusterModel
import Testing

@testable import MusterReplica
@testable import MusterStore
@testable import MusterSync

@Suite("Rules of a replica")
struct RulesTests {
  private let newer = RulesVersion(raw: RulesVersion.current.raw + 1) ?? .current

  @Test func `a view that was derived under other rules is derived again`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.converge()
    let hash = try valley.ask("Ada") { try $0.status(now: $1) }.stateHash
    valley.checksInvariants = false
    let (store, credentials) = (valley.laptops[0].store, valley.laptops[0].credentials)
    #expect(
      try store.local(ReplicaCore.viewKey) == [ReplicaCore.viewVersion, RulesVersion.current.raw])
    // Given a view with other contents, as an earlier version may have derived it
    try store.execute(unchecked: "DELETE FROM rows WHERE kind = 2")
    try store.execute(unchecked: "UPDATE local SET value = x'02' WHERE key = 'view'")
    // When this version opens it
    var replica = try Replica(
      store: store, credentials: credentials, start: .continues, seed: valley.seed32(),
      systemBoot: [1], now: valley.clock)
    #expect(try replica.status(now: valley.clock).stateHash == hash)
    // and again one with other rules.
    try store.execute(unchecked: "DELETE FROM rows WHERE kind = 2")
    replica = try Replica(
      store: store, credentials: credentials.following(newer), start: .continues,
      seed: valley.seed32(), systemBoot: [1], now: valley.clock)
    #expect(try replica.status(now: valley.clock).stateHash == hash)
    #expect(try store.local(ReplicaCore.viewKey) == [ReplicaCore.viewVersion, newer.raw])
  }

  @Test func `a join request file made under other rules is rejected with what to update`() throws {
    var valley = Valley()
    try valley.found("Ada")
    var random = DeterministicRandom(seed: valley.seed32())
    let signingKey = random.signingKey()
    let agreementKey = random.agreementKey().publicKey
    for (rules, words) in [(RulesVersion.unstated, "older muster"), (newer, "newer muster")] {
      let request = JoinRequest(
        signingKey: signingKey, agreementKey: agreementKey, rules: rules,
        binding: JoinRequestFile.binding(callsign: "Ben"))
      let file = JoinRequestFile(callsign: "Ben", request: request).encoded()
      let refusal = #expect(throws: Refusal.self) {
        try valley.ask("Ada") { try $0.admit(request: file, role: .member, now: $1) }
      }
      #expect(refusal?.description.contains(words) == true)
    }
    #expect(try valley.ask("Ada") { replica, _ in try replica.queries.devices() }.count == 1)
  }

  @Test func `a device with other rules is shown in the status, and once in the log`() throws {
    var valley = try Valley.silent("Ada", "Ben")
    let ada = valley.laptops[0].credentials.local
    let ben = valley.laptops[1].credentials.local
    let nonce = try #require(Nonce24(bytes: [UInt8](repeating: 1, count: 24)))
    var remarks: [String] = []
    for counter in [UInt64(1) << 50, 1 << 51] {
      let announce = Announce(
        certificate: ben.certificate.hash.raw.prefix.high, incarnation: 1, counter: counter)
      let datagram = announce.datagram(
        rules: newer, operation: ada.operation, networkKey: ada.networkKey, nonce: nonce,
        signedBy: ben.signingKey)
      remarks += try valley.ask("Ada") {
        try $0.receive([(datagram, Valley.endpoint(1), .unknown)], now: $1).remarks
      }
    }
    let peers = try valley.ask("Ada") { try $0.status(now: $1) }.peers
    #expect(peers.map(\.needsUpdate) == [.thisLaptop])
    #expect(remarks.filter { $0.hasPrefix("this device needs an update: ") }.count == 1)
  }
}
