import MusterModel
import MusterTestKit
import Testing

@testable import MusterReplica
@testable import MusterSync

@Suite("Mesh topology")
struct MeshTests {
  private func mesh(at name: String, in valley: inout Valley) throws -> [MeshLink] {
    try valley.ask(name) { try $0.queries.mesh(now: $1) }.links
  }

  /// Returns `Ben→Cleo` for each link, by callsign.
  private func neighbourLinks(at name: String, in valley: inout Valley) throws -> Set<String> {
    Set(try mesh(at: name, in: &valley).map { "\($0.fromCallsign)→\($0.toCallsign)" })
  }

  private func published(by name: String, at other: String, in valley: inout Valley) throws
    -> LatestRecord?
  {
    let certificate = valley.laptops[valley.index(name)].credentials.local.certificate.hash
    return try valley.ask(other) { replica, _ in
      try replica.queries.latestRecords().first {
        $0.kind == .neighbours && $0.certificate == certificate
      }
    }
  }

  @Test func `the end of a chain knows the links at the other end`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo", "Dora")
    valley.lineUp("Ada", "Ben", "Cleo", "Dora")
    try valley.run(milliseconds: 15 * 60_000)
    let all: Set = ["Ada→Ben", "Ben→Ada", "Ben→Cleo", "Cleo→Ben", "Cleo→Dora", "Dora→Cleo"]
    for name in valley.names {
      #expect(try neighbourLinks(at: name, in: &valley) == all, "as \(name) sees it")
    }
    for link in try mesh(at: "Ada", in: &valley) {
      #expect(link.isMutual && link.isCurrent && link.path == .multicast)
      // Missing frames are known only for own neighbours
      #expect((link.behindFrames != nil) == (link.fromCallsign == "Ada"))
      #expect(link.since <= link.reportedAt)
    }
  }

  @Test func `without a change nothing is published, over a restart too`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try valley.run(milliseconds: 120_000)
    let first = try #require(try published(by: "Ben", at: "Ada", in: &valley))
    try valley.run(milliseconds: 2 * 3_600_000)
    #expect(try published(by: "Ben", at: "Ada", in: &valley) == first)
    try valley.restart("Ben")
    try valley.run(milliseconds: 600_000)
    #expect(try published(by: "Ben", at: "Ada", in: &valley) == first)
  }

  @Test func `on a full link neighbours are published later`() throws {
    var valley = try Valley.with("Ada", "Ben")
    for name in valley.names {
      try valley.at(name) { try $0.limitLinks(to: LinkRate(bytesPerSecond: 8000), now: $1) }
    }
    try valley.run(milliseconds: 3_600_000)
    #expect(try published(by: "Ben", at: "Ada", in: &valley) == nil)
    #expect(try neighbourLinks(at: "Ada", in: &valley) == ["Ada→Ben"])
    for name in valley.names { try valley.at(name) { try $0.limitLinks(to: nil, now: $1) } }
    try valley.run(milliseconds: 300_000)
    #expect(try neighbourLinks(at: "Ada", in: &valley) == ["Ada→Ben", "Ben→Ada"])
  }

  @Test func `a lost device is no neighbour, and its last record is outdated`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    valley.lineUp("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 900_000)
    #expect(try neighbourLinks(at: "Ada", in: &valley).contains("Ben→Cleo"))
    valley.cut(["Ada", "Ben"], ["Cleo"])
    try valley.run(milliseconds: 900_000)
    let links = try mesh(at: "Ada", in: &valley)
    #expect(!links.contains { $0.fromCallsign == "Ben" && $0.toCallsign == "Cleo" })
    let last = try #require(links.first { $0.fromCallsign == "Cleo" })
    #expect(last.toCallsign == "Ben" && !last.isMutual && !last.isCurrent)
  }

  @Test func `a one-way link is shown as such`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 120_000)
    // Given that Ben published before he left that Ada is his only neighbour
    let links = try mesh(at: "Ada", in: &valley)
    #expect(links.count == 6 && links.allSatisfy(\.isMutual))
    try valley.switchOff("Cleo")
    try valley.run(milliseconds: 900_000)
    let left = try mesh(at: "Ada", in: &valley)
    #expect(left.filter { $0.fromCallsign == "Cleo" }.allSatisfy { !$0.isMutual && !$0.isCurrent })
    #expect(left.filter { $0.toCallsign == "Cleo" }.isEmpty)
  }

  @Test func `a relay publishes nothing, and records of revoked devices are ignored`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.join("Mast", invitedBy: "Ada", role: .relay)
    try valley.run(milliseconds: 180_000)
    #expect(try published(by: "Mast", at: "Ada", in: &valley) == nil)
    #expect(try neighbourLinks(at: "Ben", in: &valley).contains("Ada→\(name("Mast", in: valley))"))
    #expect(try published(by: "Cleo", at: "Mast", in: &valley) != nil, "a relay passes it on")

    #expect(try neighbourLinks(at: "Ada", in: &valley).contains("Cleo→Ben"))
    let cleo = valley.laptops[valley.index("Cleo")].credentials.local.device
    try valley.at("Ada") { try $0.revoke(cleo, now: $1) }
    try valley.run(milliseconds: 60_000)
    #expect(!(try neighbourLinks(at: "Ben", in: &valley)).contains { $0.hasPrefix("Cleo→") })
  }

  /// A relay has no callsign.
  private func name(_ name: String, in valley: Valley) -> String {
    valley.laptops[valley.index(name)].credentials.local.author.user.short
  }

  @Test func `a relay's neighbour record is rejected`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.join("Mast", invitedBy: "Ada", role: .relay)
    try valley.run(milliseconds: 120_000)
    let forged = try valley.ask("Ben") { replica, _ in
      let mast = replica.core.engine.context.roster.certificates.values
        .first { $0.certificate.role == .relay }
      var record = try #require(replica.core.engine.records(of: .neighbours).first)
      record.certificate = try #require(mast).hash
      record.topic = RecordTopic(
        operation: replica.core.local.operation, certificate: record.certificate, kind: .neighbours)
      return record
    }
    try valley.ask("Ada") { replica, _ in
      guard
        case .refused(.forged) = replica.core.engine.records.take(
          forged, paidBy: nil, on: nil, context: &replica.core.engine.context)
      else {
        Issue.record("it was accepted")
        return
      }
    }
  }
}

@Suite("When a device publishes its neighbours")
struct NeighbourPublisherTests {
  private static let ben = DeviceID(raw: Bytes16(high: 1, low: 1))
  private static let cleo = DeviceID(raw: Bytes16(high: 2, low: 2))
  private let one: NeighbourPublisher.Paths = [ben: .multicast]
  private let both: NeighbourPublisher.Paths = [ben: .multicast, cleo: .unicast]

  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  /// Returns the seconds at which it publishes, with the neighbours of `paths`, checked each
  /// second.
  private func publications(
    until end: Int64, _ paths: (Int64) -> NeighbourPublisher.Paths
  ) -> [Int64] {
    var publisher = NeighbourPublisher()
    var published: [Int64] = []
    publisher.remember([:])
    for second in 0..<end where publisher.mayLook(now: at(second)) {
      let now = paths(second)
      guard publisher.look(at: now, jitter: 0, now: at(second)) else { continue }
      publisher.notePublished(now, now: at(second))
      published.append(second)
    }
    return published
  }

  @Test func `once after a change has settled`() {
    #expect(publications(until: 86_400) { _ in one } == [20])
    #expect(publications(until: 3600) { _ in [:] }.isEmpty, "no neighbours, no record")
  }

  @Test func `a change that is undone before it is due is not published`() {
    #expect(publications(until: 3600) { (100..<110).contains($0) ? both : one } == [20])
  }

  @Test func `another path to the same neighbour has more time to settle`() {
    let other: NeighbourPublisher.Paths = [Self.ben: .unicast]
    #expect(publications(until: 3600) { (100..<200).contains($0) ? other : one } == [20])
    #expect(publications(until: 3600) { $0 < 1000 ? one : other } == [20, 1180])
  }

  @Test func `with continuous changes the interval grows, up to half an hour`() {
    let published = publications(until: 86_400) { $0 / 30 % 2 == 0 ? one : both }
    let waits = zip(published, published.dropFirst()).map { $1 - $0 }
    #expect(waits.allSatisfy { $0 >= 120 })
    #expect(waits.prefix(3).allSatisfy { $0 < 1000 } && waits[0] < waits[2])
    #expect(waits.dropFirst(8).allSatisfy { $0 >= 1800 }, "\(waits)")
    #expect(published.count < 60)
  }

  @Test func `after a long pause a change is published soon again`() {
    let published = publications(until: 86_400) { second in
      second < 7200 ? (second / 30 % 2 == 0 ? one : both) : second < 40_000 ? one : both
    }
    let last = published.last
    #expect(last == 40_020 || last.map { (40_000...40_030).contains($0) } == true)
  }
}
