import ArgumentParser
import Foundation
import MusterAttackers
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// What the positions of a large operation cost on disk: bytes that reach the database and its
/// write-ahead log, with all checkpoints.
struct PositionsBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "positions",
    abstract: "Positions of many members arrive at one node, whose writes are counted.",
    discussion: "In simulated time, one after another, by a session with one peer. The database "
      + "begins with a day of anchors and half a day of arrivals.")

  @Option(help: "Members, each with a position every interval.")
  var members = 1000

  @Option(help: "Seconds between two positions of a member.")
  var interval = 20

  @Option(help: "Simulated minutes that are measured.")
  var minutes = 20

  @Option(help: "Seconds between two frames of another member; 0 for none.")
  var frameEvery = 0

  @Flag(help: "Begin with an empty database.")
  var isFresh = false

  func run() throws {
    try withScratchFolder { folder in
      progress("positions: \(members) members join")
      var crowd = try Crowd(
        members: members, interval: Int64(interval) * 1000, frameEvery: Int64(frameEvery) * 1000,
        database: folder + "/bench.sqlite", isFilled: !isFresh)
      // The first round is that of the joining: every row is new.
      try crowd.run(milliseconds: 2 * Int64(interval) * 1000)
      try crowd.settle()
      let before = WrittenBytes.now
      for minute in 0..<minutes {
        try crowd.run(milliseconds: 60_000)
        progress(
          "positions: minute \(minute + 1): \((WrittenBytes.now - before) / 1000) kB written")
      }
      // What is left in the write-ahead log goes to the database too.
      try crowd.settle()
      let seconds = Double(minutes * 60)
      let frames = frameEvery > 0 ? ", and a frame every \(frameEvery) s" : ""
      try Measurement(
        bench: "positions", value: Double(WrittenBytes.now - before) / 1000 / seconds,
        unit: "kB/s", limit: 100,
        note: "written for \(members) members with a position every \(interval) s\(frames), "
          + "write-ahead log and checkpoints; \(crowd.arrived) records arrived in all"
      ).print()
    }
  }
}

/// The bytes that this process has passed to the system's write calls.
private enum WrittenBytes {
  static var now: Int {
    let text = FileManager.default.contents(atPath: "/proc/self/io") ?? Data()
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("wchar:") {
      return line.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
    return 0
  }
}

/// A node on disk, a peer in memory, and the members whose positions the peer passes on.
private struct Crowd {
  private static let stepMilliseconds: Int64 = 20
  /// As the pacing of anchors has it: 0.3 s for each device.
  private var anchorMilliseconds: Int64 { Int64(sources.count) * 300 }

  private var mesh: Mesh
  private var sources: [PositionSource] = []
  private var anchoredAt: [Int64]
  private var newestAnchors: [StampedRecordID] = []
  private let interval: Int64
  private let frameEvery: Int64
  private var clock: Int64 = 0
  private(set) var arrived = 0

  init(
    members: Int, interval: Int64, frameEvery: Int64, database: String, isFilled: Bool
  ) throws {
    self.interval = interval
    self.frameEvery = frameEvery
    anchoredAt = (0..<members).map { Int64($0) * -300 }
    mesh = try Mesh(seed: 11, founderAt: database)
    try mesh.join(at: nil, callsign: "Peer", role: .member)
    for number in 0..<members {
      let (credentials, _) = try mesh.enrol(callsign: "Member \(number)", role: .member)
      let source = mesh.at(0) { replica, _ in
        replica.positionSource(
          of: credentials,
          seed: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 31)
            + [UInt8(truncatingIfNeeded: number >> 8)])
      }
      if let source { sources.append(source) }
    }
    if isFilled {
      progress("positions: a day of anchors, and half a day of arrivals")
      let begin = mesh.clock.boot
      mesh.skip(milliseconds: Store.pastMilliseconds)
      try mesh.store(0).fillWithPast(of: sources, from: begin)
      try mesh.reopen(0)
    }
    try mesh.synchronise(0, 1)
  }

  /// Lets positions arrive at the node, each as its author's turn comes.
  mutating func run(milliseconds: Int64) throws {
    let end = clock + milliseconds
    while clock < end {
      let step = clock..<clock + Self.stepMilliseconds
      clock = step.upperBound
      try mesh.exchange(0, 1, milliseconds: Self.stepMilliseconds)
      for index in sources.indices {
        let turn = Int64(index) * interval / Int64(sources.count)
        guard
          (step.lowerBound - turn) / interval != (step.upperBound - turn) / interval
            || step.lowerBound == turn
        else { continue }
        try publish(index)
      }
      if frameEvery > 0, step.lowerBound % frameEvery == 0 {
        try mesh.write(at: 1) {
          try $0.write(ReportRequests.add(Workload.report(Int(step.lowerBound))), now: $1).outcome
        }
      }
    }
  }

  private mutating func publish(_ index: Int) throws {
    let now = mesh.clock
    var echoes: [StampedRecordID]?
    if now.boot - anchoredAt[index] >= anchorMilliseconds {
      anchoredAt[index] = now.boot
      echoes = Array(newestAnchors.suffix(RecordStamp.echoLimit))
    }
    guard
      let place = Coordinate(
        latitudeE7: 404_000_000 + Int64(arrived % 9973), longitudeE7: Int64(index))
    else { return }
    let report = PositionReport(
      fix: Fix(position: place, sampleTime: now.wall), reportedAt: now.wall)
    let (record, name) = sources[index].record(of: report, echoing: echoes, now: now)
    if echoes != nil { newestAnchors = Array(newestAnchors.suffix(3)) + [name] }
    arrived += 1
    try mesh.write(at: 1) { try MaliciousMember.sendAgain(&$0, [record], now: $1) }
  }

  /// Checkpoints the write-ahead log.
  func settle() throws { try mesh.store(0).settleLog() }
}

extension Store {
  fileprivate static let pastMilliseconds: Int64 = 24 * 3_600_000
  private static let anchorsEach: Int64 = 288
  private static let arrivalMilliseconds: Int64 = 20_000

  /// Stores what a day of a large operation leaves: anchors of 24 hours, the arrivals of 12.
  fileprivate func fillWithPast(of sources: [PositionSource], from begin: Int64) throws {
    guard let boot = try newestBoot() else { return }
    var random = DeterministicRandom(seed: [UInt8](repeating: 5, count: 32))
    var count = try anchors().map(\.place).max() ?? 0
    for round in 0..<Self.anchorsEach {
      var batch = Batch()
      let time = begin + round * Self.pastMilliseconds / Self.anchorsEach
      for source in sources {
        guard let stamp = Stamp(boot: BootID(raw: source.device.raw), milliseconds: time),
          let stated = RecordStamp(
            stamp,
            echoes: (0..<RecordStamp.echoLimit).map { _ in
              StampedRecordID(raw: random.bytes16())
            })
        else { continue }
        count += 1
        batch.ages.anchors.append(
          StoredAnchor(
            place: count, id: StampedRecordID(raw: random.bytes16()), author: source.device,
            isOwn: false, stated: stated, arrived: time))
      }
      _ = try commit(batch)
    }
    let half = begin + Self.pastMilliseconds / 2
    for time in stride(
      from: half, to: begin + Self.pastMilliseconds, by: Int(Self.arrivalMilliseconds))
    {
      var batch = Batch()
      for source in sources {
        batch.journal.append(
          JournalEntry(
            certificate: source.certificate, kind: .record, name: random.bytes16(),
            time: ArrivalTime(
              boot: boot.number, milliseconds: time, wall: Timestamp(milliseconds: time))))
      }
      _ = try commit(batch)
    }
  }
}
