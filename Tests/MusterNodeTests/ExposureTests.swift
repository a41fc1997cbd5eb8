import Foundation
import Logging
import MusterModel
import MusterProximity
import MusterReplica
import Testing

@testable import MusterNode

/// From the report of one person to the notice on another's laptop, and what is sent to command.
@Suite("Exposures at a node")
struct ExposureTests {
  private let scratch: ScratchFolder
  private let home: NodeHome
  private let folder: ProximityFolder

  init() throws {
    scratch = try ScratchFolder()
    home = scratch.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    let opened = try OpenedHome(home, passphrase: { [] })
    folder = ProximityFolder(home, credentials: opened.credentials)
    let replica = opened.replica
    try replica.close()
  }

  // MARK: Support

  private static let now = SystemClock.reading.wall
  private static var today: ProximityInterval {
    get throws { try #require(ProximityInterval(containing: now)).dayStart }
  }

  private func key(daysAgo: UInt32, seed: UInt8 = 7) throws -> DailyKey {
    let day = ProximityInterval(number: try Self.today.number - daysAgo * 144)
    return try #require(DailyKey(bytes: [UInt8](repeating: seed, count: 16), dayStart: day))
  }

  private func open() throws -> Node {
    Node(try OpenedHome(home, passphrase: { [] }), transport: nil, logger: Logger(label: "test"))
  }

  /// Stores keys as if this laptop had advertised on these days.
  private func advertise(_ keys: [DailyKey]) throws {
    var own = try folder.own() ?? ProximityOwn()
    for key in keys { own.add(key) }
    try folder.store(own)
  }

  /// Stores sightings of a device, for five minutes of each of these intervals of its day.
  private func meet(_ key: DailyKey, at offsets: [UInt32], after delay: UInt32 = 0) throws {
    for offset in offsets {
      let advertised = ProximityInterval(number: key.dayStart.number + offset)
      let identifier = try #require(key.identifier(at: advertised))
      var log = IntervalLog(ProximityInterval(number: advertised.number + delay))
      for second in [0, 300] as [Int64] {
        let time = Timestamp(milliseconds: log.interval.start.milliseconds + second * 1000)
        try log.add(Sighting(identifier: identifier, name: "Ben", rssi: -60, time: time))
      }
      try folder.store(log)
    }
  }

  private func ask(_ command: ProximityCommand, of node: Node) async throws -> ProximityReply {
    switch await node.perform(.proximity(command)) {
    case .proximity(let reply): return reply
    case .refused(let reason, _): throw NodeError.refused(reason)
    default: throw NodeError.refused("another reply")
    }
  }

  private func notices(of node: Node) async throws -> [NearbyExposure] {
    guard case .notices(let notices) = try await ask(.notices, of: node) else {
      throw NodeError.refused("no notices")
    }
    return notices
  }

  private func review(of node: Node) async throws -> ExposureReview {
    guard case .review(let review) = try await ask(.review, of: node) else {
      throw NodeError.refused("no review")
    }
    return review
  }

  private func status(of node: Node) async throws -> ProximityStatus {
    guard case .status(let status) = try await ask(.status, of: node) else {
      throw NodeError.refused("no status")
    }
    return status
  }

  private func sessions(of node: Node) async throws -> [ProximitySession] {
    guard case .sessions(let sessions) = try await ask(.sessions, of: node) else {
      throw NodeError.refused("no sessions")
    }
    return sessions
  }

  // MARK: Stories

  @Test func `a report is published, concerns who was near, and is withdrawn`() async throws {
    let key = try key(daysAgo: 3)
    try advertise([key, try self.key(daysAgo: 2, seed: 8), try self.key(daysAgo: 0, seed: 9)])
    // The same laptop stands for another that was near this one.
    try meet(key, at: [60, 61])
    let node = try open()
    _ = try await ask(.reportPositive(.contamination, text: "Leak, hall 3"), of: node)
    let reported = try #require(try await review(of: node).items.first)
    #expect(reported.state == .reported && reported.callsign == "Ada")
    #expect(reported.text == "Leak, hall 3" && reported.people == 0)
    #expect(
      reported.days == [key.dayStart.start, try self.key(daysAgo: 2).dayStart.start],
      "today's key is not sent")
    #expect(try await notices(of: node).isEmpty, "a report alone concerns no one")
    #expect(try await status(of: node).report?.isPublished == false)

    _ = try await ask(.publish(reported.id.short, text: "Shower"), of: node)
    let notice = try #require(try await notices(of: node).first)
    #expect(notice.kind == .contamination && notice.text == "Shower")
    #expect(
      notice.days == [NearbyExposure.Day(day: key.dayStart.start, minutes: 10, rssi: -60)])
    #expect(try await status(of: node).report?.isPublished == true)

    _ = try await ask(.withdrawReport, of: node)
    let withdrawn = try #require(try await review(of: node).items.first)
    #expect(withdrawn.state == .withdrawn)
    await #expect(throws: NodeError.self) {
      try await ask(.publish(reported.id.short, text: ""), of: node)
    }
    _ = try await ask(.withdrawNotice(reported.id.short), of: node)
    #expect(try await notices(of: node).isEmpty)
    #expect(try await review(of: node).items.isEmpty)
    await node.stop()
  }

  @Test func `a report that is not published is gone when its author withdraws it`() async throws {
    try advertise([try key(daysAgo: 3)])
    let node = try open()
    await #expect(throws: NodeError.self) { try await ask(.withdrawReport, of: node) }
    _ = try await ask(.reportPositive(.infection, text: ""), of: node)
    _ = try await ask(.withdrawReport, of: node)
    #expect(try await review(of: node).items.isEmpty)
    #expect(try await status(of: node).report == nil)
    await node.stop()
  }

  @Test func `a member who names a published notice neither withdraws nor takes it`() {
    let key = WithdrawalKey(raw: Bytes16(high: 1, low: 1))
    let notice = ExposureNotice(
      id: ExposureID(withdrawnBy: key), kind: .infection, text: "Test", keys: [])
    func review(_ notes: [(name: String, note: ProximityNote)]) -> ExposureReview.Item? {
      let received = notes.enumerated().map { number, entry in
        ReceivedNote(
          user: UserID(raw: Bytes16(high: 2, low: UInt64(number))), callsign: entry.name,
          device: DeviceID(raw: Bytes16(high: 3, low: UInt64(number))), note: entry.note,
          writtenAt: Timestamp(milliseconds: 0))
      }
      let published = PublishedNotice(notice, publishedAt: Timestamp(milliseconds: 0))
      return ExposureReview(received, [published]).items.first
    }
    var withdrawal = ProximityNote(report: nil)
    withdrawal.withdrawn = [key]
    var forged = ProximityNote(report: nil)
    forged.withdrawn = [WithdrawalKey(raw: notice.id.raw)]
    let report = ProximityNote(report: notice)
    let named = review([("Ada", report), ("Eve", forged)])
    #expect(named?.state == .published && named?.callsign == "Ada")
    // Also when the note of the person who reported it is gone.
    let alone = review([("Ada", ProximityNote(report: nil)), ("Eve", forged)])
    #expect(alone?.state == .published && alone?.callsign == "")
    // A copied report does not keep the person from withdrawing it.
    let kept = review([("Ada", withdrawal), ("Eve", report)])
    #expect(kept?.state == .withdrawn && kept?.callsign == "Ada, Eve")
    // Command sees that two claim it.
    let copied = review([("Ada", report), ("Eve", report)])
    #expect(copied?.state == .published && copied?.callsign == "Ada, Eve")
    let own = review([("Ada", withdrawal)])
    #expect(own?.state == .withdrawn && own?.callsign == "Ada")
  }

  @Test func `without an ended day nothing is reported`() async throws {
    try advertise([try key(daysAgo: 0), try key(daysAgo: 16, seed: 8)])
    let node = try open()
    await #expect(throws: NodeError.self) {
      try await ask(.reportPositive(.radiation, text: ""), of: node)
    }
    await #expect(throws: NodeError.self) {
      try await ask(.reportPositive(.radiation, text: "two\nlines"), of: node)
    }
    #expect(try await status(of: node).report == nil)
    await node.stop()
  }

  @Test func `a published key that is advertised again concerns no one`() async throws {
    let key = try key(daysAgo: 3)
    try advertise([key])
    // An attacker advertises the identifiers hours after their intervals.
    try meet(key, at: [60, 61], after: 13)
    try meet(key, at: [100], after: 144)
    let node = try open()
    _ = try await ask(.reportPositive(.infection, text: ""), of: node)
    let id = try #require(try await review(of: node).items.first).id
    _ = try await ask(.publish(id.short, text: ""), of: node)
    #expect(try await notices(of: node).isEmpty)
    await node.stop()
  }

  @Test func `command counts only people who agreed`() async throws {
    let key = try key(daysAgo: 3)
    try advertise([key])
    try meet(key, at: [60])
    let node = try open()
    _ = try await ask(.reportPositive(.infection, text: ""), of: node)
    let id = try #require(try await review(of: node).items.first).id
    _ = try await ask(.publish(id.short, text: ""), of: node)
    #expect(try await notices(of: node).count == 1)
    _ = try await ask(.send, of: node)
    #expect(try await review(of: node).items.map(\.people) == [0])
    _ = try await ask(.consent(true, count: true), of: node)
    #expect(try await review(of: node).items.map(\.people) == [1])
    _ = try await ask(.consent(false, count: true), of: node)
    #expect(try await review(of: node).items.map(\.people) == [0])
    await node.stop()
  }

  @Test func `sessions reach command only with consent, or by hand`() async throws {
    try meet(try key(daysAgo: 3), at: [60, 61])
    let node = try open()
    #expect(try await sessions(of: node).map(\.isSynced) == [false])
    _ = try await ask(.consent(true, count: true), of: node)
    #expect(try await review(of: node).senders.isEmpty, "the count is another consent")

    guard case .sent(let recipients) = try await ask(.send, of: node) else {
      throw NodeError.refused("not sent")
    }
    #expect(recipients == 1)
    #expect(try await sessions(of: node).map(\.isSynced) == [true])
    let sent = try #require(try await review(of: node).senders.first)
    #expect(sent.callsign == "Ada" && sent.sessions.map(\.identifiers) == [2])
    #expect(sent.sessions.map(\.names) == [["Ben"]])

    // A later session is not sent without consent, and the earlier one stays.
    try meet(try key(daysAgo: 2), at: [90])
    _ = try await ask(.consent(false, count: true), of: node)
    #expect(try await sessions(of: node).map(\.isSynced) == [false, true])
    #expect(try await review(of: node).senders.first?.sessions.count == 1)
    _ = try await ask(.consent(true, count: false), of: node)
    #expect(try await sessions(of: node).map(\.isSynced) == [true, true])
    #expect(try await review(of: node).senders.first?.sessions.count == 2)
    _ = try await ask(.consent(false, count: false), of: node)
    #expect(try await review(of: node).senders.isEmpty)
    #expect(try await sessions(of: node).map(\.isSynced) == [false, false])
    await node.stop()
  }

  @Test func `choices and reports outlast a restart, also from a file before exposures`()
    async throws
  {
    let key = try key(daysAgo: 3)
    var own = ProximityOwn()
    own.add(key)
    // The form of version 1: recording, then the keys.
    let stored: [UInt8] = [1, 1, 1] + own.encoded.suffix(20)
    let read = try ProximityOwn(encoded: stored)
    #expect(read == own)
    try folder.store(read)
    let node = try open()
    _ = try await ask(.reportPositive(.radiation, text: "hall 3"), of: node)
    _ = try await ask(.consent(true, count: true), of: node)
    await node.stop()
    let kept = try #require(try folder.own())
    #expect(kept.sharesCount && !kept.sendsSessions)
    #expect(kept.report?.text == "hall 3" && kept.report?.keys.map(\.day) == [key.dayStart.number])
  }

  @Test func `a million hostile lines are counted, and stored within the bound`() throws {
    var recorder = ProximityRecorder(folder)
    let now = SystemClock.reading
    let wall = now.wall.milliseconds
    // Of each 50 lines, 47 are too long, one is no JSON, and two have identifiers of their own.
    for block in 0..<20 as Range<Int> {
      let lines = (0..<50_000).map { number -> [UInt8]? in
        guard number % 50 > 46 else { return nil }
        guard number % 50 > 47 else { return [UInt8(ascii: "{")] }
        let text = String(block * 50_000 + number, radix: 16)
        let digits = String(repeating: "0", count: 32 - text.count) + text
        return Array(#"{"uuid":"\#(digits)","rssi":-60,"timestamp":\#(wall)}"#.utf8)
      }
      recorder.take(lines, wall: now.wall)
    }
    guard case .status(let status) = try recorder.reply(to: .status, now: now) else {
      throw NodeError.refused("no status")
    }
    let most = UInt64(ProximityLimits.identifiersPerInterval)
    #expect(status.counted == most)
    #expect(status.refused.values.reduce(0, +) == 1_000_000 - most)
    let path = home.dataDirectory + "/proximity"
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.count == 1)
    let size = try Data(contentsOf: URL(filePath: path + "/" + (names.first ?? ""))).count
    #expect(size < 25_000)
  }
}
