import Foundation
import Logging
import MusterModel
import MusterProximity
import Testing

@testable import MusterNode

/// From the lines of a scanner to the sealed files, and back.
@Suite("Proximity log")
struct ProximityTests {
  private let scratch: ScratchFolder
  private let home: NodeHome
  private let folder: ProximityFolder

  private static let now = Timestamp(milliseconds: 1_796_688_300_000)
  private static let uuid = "8be6cd371c5c891604bfbe49df845096"

  init() throws {
    scratch = try ScratchFolder()
    home = scratch.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
    let opened = try OpenedHome(home, passphrase: { [] })
    folder = ProximityFolder(home, credentials: opened.credentials)
    let replica = opened.replica
    try replica.close()
  }

  /// The clocks some minutes later. The wall clock may have jumped by further minutes.
  private static func reading(minutes: Int64 = 0, jump: Int64 = 0) -> ClockReading {
    let passed = minutes * 60_000
    return ClockReading(
      instant: Instant(microseconds: passed * 1000),
      wall: Timestamp(milliseconds: now.milliseconds + passed + jump * 60_000), boot: passed,
      entropy: Bytes16(high: 0, low: 0))
  }

  private var path: String { home.dataDirectory + "/proximity" }

  private func line(secondsAgo: Int64 = 0, uuid: String = uuid, name: String = "Ben") -> [UInt8] {
    let time = Self.now.milliseconds - secondsAgo * 1000
    return Array(
      #"{"uuid":"\#(uuid)","name":"\#(name)","rssi":-61,"timestamp":\#(time)}"#.utf8)
  }

  private func devices(_ recorder: inout ProximityRecorder, hours: Int = 24) throws
    -> [NearbyDevice]
  {
    guard
      case .devices(let devices, isTruncated: false) = try recorder.reply(
        to: .devices(hours: hours), now: Self.reading())
    else { throw NodeError.refused("no devices") }
    return devices
  }

  private func status(
    _ recorder: inout ProximityRecorder, _ command: ProximityCommand = .status
  ) throws -> ProximityStatus {
    guard case .status(let status) = try recorder.reply(to: command, now: Self.reading()) else {
      throw NodeError.refused("no status")
    }
    return status
  }

  @Test func `what a scanner received is listed, also after the next start`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line(secondsAgo: 1800), line(secondsAgo: 60)], wall: Self.now)
    let listed = try devices(&recorder)
    #expect(listed.map(\.identifier) == [Self.uuid])
    #expect(listed.map(\.name) == ["Ben"])
    #expect(listed.first.map { $0.last.milliseconds - $0.first.milliseconds } == 1_740_000)
    var next = ProximityRecorder(folder)
    #expect(try devices(&next) == listed)
    #expect(try devices(&next, hours: 1).count == 1)
  }

  @Test(arguments: [.min, 0, 715_827_883, .max])
  func `hours out of range are limited`(hours: Int) throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line()], wall: Self.now)
    #expect(try devices(&recorder, hours: hours).count == 1)
  }

  @Test func `a list ends after the newest devices`() throws {
    for age in 1...5 as ClosedRange<UInt32> {
      let number = UInt32(Self.now.milliseconds / ProximityInterval.milliseconds) - age
      var log = IntervalLog(ProximityInterval(number: number))
      for place in 0..<1001 as Range<UInt64> {
        let identifier = Bytes16(high: UInt64(age), low: place)
        try log.add(Sighting(identifier: identifier, rssi: -60, time: log.interval.start))
      }
      try folder.store(log)
    }
    var recorder = ProximityRecorder(folder)
    let reply = try recorder.reply(to: .devices(hours: 24), now: Self.reading())
    guard case .devices(let devices, isTruncated: true) = reply else {
      throw NodeError.refused("not truncated")
    }
    #expect(devices.count == ProximityLimits.devicesPerList)
    #expect(devices.first?.identifier.hasPrefix("0000000000000001") == true)
  }

  @Test func `files are private, and contain neither identifier nor name`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line(name: "Benjamin")], wall: Self.now)
    try recorder.write(now: Self.reading())
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.count == 1)
    for name in names {
      #expect(try OnDisk.mode(of: path + "/" + name) == 0o600)
      let bytes = try Data(contentsOf: URL(filePath: path + "/" + name))
      #expect(bytes.range(of: Data("Benjamin".utf8)) == nil)
      #expect(bytes.range(of: Data([0x8b, 0xe6, 0xcd, 0x37])) == nil)
    }
  }

  @Test func `a file under another name is not opened`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line()], wall: Self.now)
    try recorder.write(now: Self.reading())
    let interval = try #require(try folder.intervals().first)
    let path = home.dataDirectory + "/proximity/interval-"
    try FileManager.default.moveItem(
      atPath: path + "\(interval.number)", toPath: path + "\(interval.number - 1)")
    var next = ProximityRecorder(folder)
    #expect(try devices(&next).isEmpty)
  }

  @Test func `lines that do not count are counted by reason`() throws {
    var recorder = ProximityRecorder(folder)
    let day: Int64 = 86_400
    let lines = [
      nil, Array("{".utf8), line(uuid: "12"), line(secondsAgo: day + 1), line(secondsAgo: -601),
      line(secondsAgo: day), line(secondsAgo: -600),
    ]
    recorder.take(lines, wall: Self.now)
    let status = try status(&recorder)
    #expect(status.counted == 2)
    #expect(
      status.refused == [
        "too long": 1, "malformed": 1, "unknown identifier": 1, "time out of range": 2,
      ])
  }

  @Test func `off is kept, and nothing is recorded`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.listen(to: "scanner", byDatagrams: false)
    #expect(try status(&recorder).scanning == .unknown)
    #expect(recorder.change(to: .connected) == "scanner")
    #expect(try status(&recorder).scanning == .on)
    #expect(try status(&recorder, .setOn(false)).scanning == .off)
    var next = ProximityRecorder(folder)
    next.take([line()], wall: Self.now)
    let paused = try status(&next)
    #expect(paused.scanning == .off)
    #expect(paused.advertising == .off)
    #expect(paused.refused == ["proximity is off": 1])
    #expect(try devices(&next).isEmpty)
    #expect(try status(&next, .setOn(true)).scanning == .unknown)
  }

  @Test func `sightings are deleted after fourteen days`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line()], wall: Self.now)
    try recorder.write(now: Self.reading())
    try recorder.write(now: Self.reading(minutes: 14 * 1440))
    #expect(try folder.intervals().count == 1)
    try recorder.write(now: Self.reading(minutes: 15 * 1440))
    #expect(try folder.intervals().isEmpty)
  }

  @Test(arguments: [(1, 1), (7, 7), (14, 14), (0, 1), (99, 14), (.min, 1), (.max, 14)])
  func `the user sets fewer days`(wanted: Int, days: Int64) throws {
    var recorder = ProximityRecorder(folder)
    #expect(try status(&recorder).days == 14)
    #expect(try status(&recorder, .keep(days: wanted)).days == Int(days))
    recorder = ProximityRecorder(folder)
    #expect(try status(&recorder).days == Int(days), "the choice is kept")
    recorder.take([line()], wall: Self.now)
    try recorder.write(now: Self.reading())
    try recorder.write(now: Self.reading(minutes: days * 1440))
    #expect(try folder.intervals().count == 1)
    try recorder.write(now: Self.reading(minutes: (days + 1) * 1440))
    #expect(try folder.intervals().isEmpty)
  }

  @Test func `a wall clock that jumps deletes nothing until it has settled`() throws {
    let month: Int64 = 30 * 1440
    for jump in [month, -month] {
      var recorder = ProximityRecorder(folder)
      recorder.take([line()], wall: Self.now)
      try recorder.write(now: Self.reading())
      try recorder.write(now: Self.reading(minutes: 1, jump: jump))
      try recorder.write(now: Self.reading(minutes: 10, jump: jump))
      #expect(try folder.intervals().count == 1)
      try recorder.write(now: Self.reading(minutes: 11))
      try recorder.write(now: Self.reading(minutes: 30))
      #expect(try folder.intervals().count == 1)
      try recorder.write(now: Self.reading(minutes: 31, jump: jump))
      try recorder.write(now: Self.reading(minutes: 41, jump: jump))
      #expect(try folder.intervals().isEmpty)
    }
  }

  @Test func `a key of a wrong future is deleted, and deletes no other`() throws {
    var recorder = ProximityRecorder(folder)
    let month: Int64 = 30 * 1440
    _ = try recorder.reply(to: .own, now: Self.reading())
    _ = try recorder.reply(to: .own, now: Self.reading(minutes: 1, jump: month))
    #expect(try folder.own()?.keys.count == 2)
    try recorder.write(now: Self.reading(minutes: 2))
    try recorder.write(now: Self.reading(minutes: 12))
    #expect(try folder.own()?.keys.count == 1)
  }

  @Test func `a file that cannot be written stops neither deletion nor the others`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line()], wall: Self.now)
    try recorder.write(now: Self.reading())
    let old = try #require(try folder.intervals().first)
    let later = Self.reading(minutes: 15 * 1440)
    recorder.take([line(secondsAgo: -15 * 86_400 + 1800)], wall: later.wall)
    recorder.take([line(secondsAgo: -15 * 86_400)], wall: later.wall)
    let blocked = old.number + 15 * 144 - 3
    try FileManager.default.createDirectory(
      atPath: path + "/interval-\(blocked)", withIntermediateDirectories: false)
    #expect(throws: HomeError.self) { try recorder.write(now: later) }
    #expect(try folder.intervals().map(\.number) == [blocked, blocked + 3])
    #expect(try folder.log(of: .init(number: blocked + 3))?.count == 1)
    guard case .status(let status) = try recorder.reply(to: .setOn(false), now: later) else {
      throw NodeError.refused("no status")
    }
    #expect(status.scanning == .off)
  }

  @Test func `recording stops even if that cannot be stored`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take([line()], wall: Self.now)
    try FileManager.default.createDirectory(
      atPath: path + "/own", withIntermediateDirectories: true)
    #expect(throws: NodeError.self) { try status(&recorder, .setOn(false)) }
    recorder.take([line()], wall: Self.now)
    #expect(try status(&recorder).refused == ["proximity is off": 1])
  }

  @Test func `a damaged file of settings means off, with one warning`() async throws {
    var recorder = ProximityRecorder(folder)
    _ = try status(&recorder, .setOn(true))
    let file = URL(filePath: path + "/own")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.endIndex - 1] ^= 1
    try bytes.write(to: file)
    let (warnings, continuation) = AsyncStream.makeStream(of: String.self)
    var next = ProximityRecorder(folder, warn: { continuation.yield($0) })
    for _ in 0..<3 { next.take([line()], wall: Self.now) }
    #expect(try status(&next).scanning == .off)
    #expect(try status(&next).refused == ["proximity is off": 3])
    #expect(try status(&next, .setOn(true)).scanning == .unknown)
    continuation.finish()
    #expect(await warnings.reduce(0) { count, _ in count + 1 } == 1)
  }

  @Test func `datagrams fill only the present, and repeated ones write nothing`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.listen(to: "scanner", byDatagrams: true)
    recorder.take([121, 120, -120, -121].map { line(secondsAgo: $0) }, wall: Self.now)
    let status = try status(&recorder)
    #expect(status.counted == 2)
    #expect(status.refused == ["time out of range": 2])
    try FileManager.default.removeItem(atPath: path)
    recorder.take([line()], wall: Self.now)
    try recorder.write(now: Self.reading())
    #expect(try folder.intervals().isEmpty)
  }

  @Test func `a pause begins another session`() throws {
    var recorder = ProximityRecorder(folder)
    recorder.take(
      [line(secondsAgo: 7200), line(secondsAgo: 600), line()], wall: Self.now)
    guard case .sessions(let sessions) = try recorder.reply(to: .sessions, now: Self.reading())
    else {
      throw NodeError.refused("no sessions")
    }
    #expect(sessions.map(\.identifiers) == [1, 1])
    #expect(
      sessions.map { $0.end.milliseconds - $0.start.milliseconds } == [1_200_000, 600_000])
  }

  @Test func `the own identifier changes every ten minutes, and its key stays`() throws {
    var recorder = ProximityRecorder(folder)
    func own(_ recorder: inout ProximityRecorder, minutes: Int64) throws -> OwnIdentity {
      let now = Self.reading(minutes: minutes)
      guard case .own(let own) = try recorder.reply(to: .own, now: now) else {
        throw NodeError.refused("no identity")
      }
      return own
    }
    let first = try own(&recorder, minutes: 0)
    #expect(first.serviceData.count == 40)
    #expect(first.serviceData.hasPrefix(first.identifier))
    #expect(try own(&recorder, minutes: 10).identifier != first.identifier)
    var next = ProximityRecorder(folder)
    #expect(try own(&next, minutes: 0) == first)
    for day in 1...20 { _ = try own(&next, minutes: Int64(day) * 1440) }
    #expect(try own(&next, minutes: 20 * 1440).days.count == 15)
  }

  @Test func `a node writes the rest when it stops`() async throws {
    let node = Node(
      try OpenedHome(home, passphrase: { [] }), transport: nil, logger: Logger(label: "test"))
    await node.watchNearby(from: "scanner", byDatagrams: false)
    await node.takeNearby(.lines([Array(#"{"uuid":"\#(Self.uuid)","rssi":-61}"#.utf8)]))
    await node.takeNearby(
      .lines([Array(#"{"uuid":"\#(Self.uuid)","rssi":-51}"#.utf8)]))
    await node.stop()
    // The clock may begin another interval between the two.
    let written = try folder.intervals().flatMap { try folder.log(of: $0)?.entries ?? [] }
    #expect(written.last?.entry.rssi == -51, "\(written)")
  }
}
