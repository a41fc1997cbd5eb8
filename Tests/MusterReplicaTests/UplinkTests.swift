import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

@Suite("Uplink")
struct UplinkTests {
  private func certificates(_ name: String, in valley: inout Valley) throws -> [[UInt8]] {
    try valley.ask(name) { replica, _ in replica.queries.uplinkCertificates }
  }

  private func name(_ der: [UInt8], by name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.nameUplink(certificate: der, now: $1) }
  }

  @Test func `every node knows each command post's certificate, over restarts too`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.join("Dan", invitedBy: "Ada", role: .command)
    try name([1, 2, 3], by: "Ada", in: &valley)
    try name([4, 5], by: "Dan", in: &valley)
    try valley.converge()
    for name in valley.names { try valley.restart(name) }
    for name in valley.names {
      let known = Set(try certificates(name, in: &valley))
      #expect(known == [[1, 2, 3], [4, 5]], "at \(name)")
    }
    let own = try valley.ask("Ada") { replica, _ in replica.queries.ownUplinkCertificates }
    #expect(own == [[1, 2, 3]])
  }

  @Test func `a revoked command post's certificate is invalid`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Dan", invitedBy: "Ada", role: .command)
    try name([1], by: "Ada", in: &valley)
    try name([2], by: "Dan", in: &valley)
    try valley.converge()
    let device = valley.laptops[valley.index("Dan")].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    try valley.run(milliseconds: 10_000)
    for name in ["Ada", "Ben"] {
      let known = try certificates(name, in: &valley)
      #expect(known == [[1]], "at \(name)")
    }
  }

  @Test func `an archive's certificate is known until the archive is revoked`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("County", invitedBy: "Ada", role: .archive)
    try name([7], by: "County", in: &valley)
    try valley.converge()
    for name in valley.names { try valley.restart(name) }
    for name in valley.names {
      let known = try certificates(name, in: &valley)
      #expect(known == [[7]], "at \(name)")
    }
    let device = valley.laptops[valley.index("County")].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    try valley.run(milliseconds: 10_000)
    for name in ["Ada", "Ben"] {
      let known = try certificates(name, in: &valley)
      #expect(known == [], "at \(name)")
    }
  }

  @Test func `an uplink shows its operation with the first datagram, and only by its keys`() throws
  {
    var valley = try Valley.with("Ada", "Ben")
    let other = try Valley.silent("Mia", seed: 2)
    func local(_ name: String, in valley: Valley) -> LocalDevice {
      valley.laptops[valley.index(name)].credentials.local
    }
    let outcome = try valley.ask("Ben") { try $0.uplinkOpened(.uplink(0), calls: true, now: $1) }
    let initiations = outcome.outgoing.compactMap { datagram -> [UInt8]? in
      guard case .to(let endpoint, _, let bytes) = datagram, endpoint.isUplink else { return nil }
      return bytes
    }
    let initiation = try #require(initiations.first)
    // Any device of the operation recognizes it, also with a cookie; none of another operation.
    let (ada, mia) = (local("Ada", in: valley), local("Mia", in: other))
    #expect(ada.authenticates(initiation: initiation))
    #expect(ada.authenticates(initiation: [8] + [UInt8](repeating: 9, count: 16) + initiation))
    #expect(!mia.authenticates(initiation: initiation))
    // Damaged, short and other datagrams are of no operation.
    var damaged = initiation
    damaged[damaged.count - 1] ^= 1
    #expect(!ada.authenticates(initiation: damaged))
    for count in [0, 1, 5, 6, 40] {
      #expect(!ada.authenticates(initiation: Array(initiation.prefix(count))))
    }
    #expect(!ada.authenticates(initiation: [5] + initiation.dropFirst()))
    #expect(!ada.authenticates(initiation: [8]))
  }

  @Test func `a device without role command names no certificate`() throws {
    var valley = try Valley.with("Ada", "Ben")
    #expect(throws: Refusal.self) { try name([1], by: "Ben", in: &valley) }
    // Nor if a modified program writes it nevertheless.
    try valley.at("Ben") { replica, now in
      try replica.transact(now: now) { replica in
        guard let certificate = UplinkCertificate(der: [9]) else { return }
        try replica.core.append([[.uplink(certificate)]], lane: .control, now: now)
      }
    }
    try valley.converge()
    for name in valley.names {
      let known = try certificates(name, in: &valley)
      #expect(known == [], "at \(name)")
    }
  }

  @Test func `a certificate is neither empty nor large, and a device names few`() throws {
    var valley = try Valley.with("Ada")
    #expect(throws: Refusal.self) { try name([], by: "Ada", in: &valley) }
    let large = [UInt8](repeating: 7, count: Limits.uplinkCertificateBytes + 1)
    #expect(throws: Refusal.self) { try name(large, by: "Ada", in: &valley) }
    for number in 0..<UInt8(Limits.uplinkCertificatesPerDevice) {
      try name([number], by: "Ada", in: &valley)
    }
    #expect(throws: Refusal.self) { try name([99], by: "Ada", in: &valley) }
  }

  @Test func `an uplink is not stored, and its end is known at once`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let way = Endpoint.uplink(3)
    valley.cut(["Ada"], ["Ben"])
    try valley.run(milliseconds: 1000)
    let opened = try valley.at("Ada") { replica, now in
      let outcome = try replica.uplinkOpened(way, calls: true, now: now)
      return (outcome, outcome)
    }
    let called = opened.outgoing.contains { outgoing in
      guard case .to(let endpoint, let link, _) = outgoing else { return false }
      return endpoint == way && link == .uplink
    }
    #expect(called, "who is at the other end is called at once")
    try valley.at("Ada") { try $0.uplinkClosed(way, now: $1) }
    try valley.restart("Ada")
    let known = try valley.ask("Ada") { replica, _ in try replica.queries.rememberedEndpoints() }
    let uplinks = known.filter { $0.isUplink }
    #expect(uplinks == [])
  }
}
