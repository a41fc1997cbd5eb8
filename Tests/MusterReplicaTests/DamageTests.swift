import Foundation
import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// Damage on disk: what a replica shows afterwards, and what one honest peer restores.
@Suite("A damaged database")
struct DamageTests {
  /// The number of damaged places for each kind of damage; more with `MUSTER_VOLUME=40`.
  private static let volume = Volume.orUsual(1)

  /// A device's files, and their contents before the damage.
  struct Files {
    var database: Data
    var log: Data

    init(path: String) throws {
      database = try Data(contentsOf: URL(fileURLWithPath: path))
      let log = URL(fileURLWithPath: path + "-wal")
      self.log =
        FileManager.default.fileExists(atPath: log.path) ? try Data(contentsOf: log) : Data()
    }

    func write(to path: String) throws {
      for suffix in ["-shm", "-wal", ""] { try remove(path + suffix) }
      try database.write(to: URL(fileURLWithPath: path))
      if !log.isEmpty { try log.write(to: URL(fileURLWithPath: path + "-wal")) }
    }
  }

  private static func remove(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Ada's database is on disk; Ben holds all that she holds.
  struct Stage {
    var valley: Valley
    let folder: TemporaryFolder
    let path: String
    let stopped: Files
    let killed: Files
    let incarnationState: Replica.IncarnationState
    let holdings: Frontier
    /// Every title that each report ever had.
    let titles: [RowID: Set<String>]
    let hash: StateHash

    init() throws {
      let folder = try TemporaryFolder()
      self.folder = folder
      path = folder.database("ada")
      var valley = try Valley.with("Ben")
      try valley.join("Ada", invitedBy: "Ben", path: path)
      var titles: [RowID: Set<String>] = [:]
      for number in 1...25 {
        for name in ["Ada", "Ben"] {
          let title = "\(name) \(number)"
          let id = try valley.at(name) {
            try $0.write(ReportRequests.add(ReportDraft(title: title)), now: $1)
          }
          titles[id, default: []].insert(title)
          if number % 5 == 0 {
            try valley.at(name) {
              try $0.write(ReportRequests.edit(id, ReportChanges(title: "Edited")), now: $1)
            }
            titles[id, default: []].insert("Edited")
          }
        }
        if number == 15 { try valley.laptops[valley.index("Ada")].store.settleLog() }
        try valley.run(milliseconds: 200)
      }
      try valley.at("Ben") {
        try $0.write(
          FenceRequests.add(
            FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))), now: $1)
      }
      try valley.converge()
      try valley.at("Ada") { try $0.ingest(fix(metresNorth: 0, second: 0), now: $1) }
      try valley.converge()
      killed = try Files(path: path)
      (incarnationState, holdings) = try valley.ask("Ada") { replica, _ in
        (replica.incarnationState, try replica.queries.holdings())
      }
      self.titles = titles
      hash = try valley.ask("Ada") { replica, _ in try replica.stateHash() }
      try valley.switchOff("Ada")
      stopped = try Files(path: path)
      valley.checksInvariants = false
      self.valley = valley
    }

    /// Starts Ada's device with these files, as a node does. Returns whether the database was
    /// rebuilt.
    mutating func start(with files: Files) throws -> Bool {
      try files.write(to: path)
      let ada = valley.index("Ada")
      let credentials = valley.laptops[ada].credentials
      let isDamaged =
        try files.database.isEmpty
        || ReplicaDatabase.problem(at: path, of: credentials, seed: Valley.seal) != nil
      guard isDamaged else {
        let store = try Valley.store(at: path, of: credentials)
        let known = try ReplicaDatabase.incarnationState(in: store, of: credentials)
        // What the sentinel detects.
        let isBehind = known?.sequences != incarnationState.sequences
        if isBehind { try ReplicaDatabase.know(incarnationState, in: store, of: credentials) }
        try holdings.noteMissing(in: store)
        try store.close()
        try valley.switchOn(
          "Ada",
          start: isBehind ? .startsIncarnation(above: incarnationState.generation) : .continues)
        return false
      }
      let aside = folder.database("new")
      for suffix in ["-shm", "-wal", ""] { try DamageTests.remove(aside + suffix) }
      _ = try ReplicaDatabase.salvage(
        path, into: aside, credentials: credentials, witnessed: incarnationState, seed: Valley.seal)
      try Files(path: aside).write(to: path)
      let store = try Valley.store(at: path, of: credentials)
      try holdings.noteMissing(in: store)
      try store.close()
      try valley.switchOn("Ada", start: .startsIncarnation(above: incarnationState.generation))
      return true
    }

    mutating func stop() throws {
      try valley.switchOff("Ada")
    }

    /// Returns the logs with lost frames that are not listed.
    func unlisted(_ missing: [MissingFrames]) throws -> [LogID] {
      let store = valley.laptops[valley.index("Ada")].store
      let aside = Set(try store.logsSetAside())
      return try holdings.heads.filter { head in
        let held = try store.strands(of: head.log).map(\.head.sequence).max()
        return held.map { $0 < head.sequence } ?? true && !aside.contains(head.log)
          && !missing.contains { $0.log == head.log }
      }.map(\.log)
    }
  }

  enum Blow: CaseIterable { case flip, truncation, zeros }

  private static func damage(
    _ data: inout Data, _ blow: Blow, _ random: inout SplitMix64
  ) -> String {
    let place = random.number(below: data.count)
    switch blow {
    case .flip: data[place] ^= UInt8(1 + random.number(below: 255))
    case .truncation: data = data.prefix(place)
    case .zeros:
      let start = place / 4096 * 4096
      let end = min(start + 4096, data.count)
      data.replaceSubrange(start..<end, with: Data(count: end - start))
    }
    return "\(blow) at \(place)"
  }

  @Test(arguments: Blow.allCases)
  func `nothing wrong is shown, missing frames are listed, and a peer restores them`(
    blow: Blow
  ) throws {
    var stage = try Stage()
    let seed: UInt64 = 40
    var random = SplitMix64(seed: seed)
    let rounds = (blow == .flip ? 12 : 5) * Self.volume
    for round in 0..<rounds {
      var files = round % 2 == 0 ? stage.stopped : stage.killed
      let hitsLog = !files.log.isEmpty && random.number(below: 2) == 0
      let what =
        hitsLog
        ? "log, " + Self.damage(&files.log, blow, &random)
        : "database, " + Self.damage(&files.database, blow, &random)
      let label: Comment = "seed \(seed), round \(round): \(what)"

      // Alone: only written data is shown, and missing data is listed.
      stage.valley.cut(["Ada"], ["Ben"])
      _ = try stage.start(with: files)
      let (shown, missing) = try stage.valley.ask("Ada") { replica, _ in
        (try replica.queries.reports(), try replica.queries.missingFrames())
      }
      for report in shown {
        let wasWritten = stage.titles[report.id]?.contains(report.title) == true
        #expect(wasWritten, "seed \(seed), round \(round): \(what): \(report)")
      }
      let alone = try stage.valley.ask("Ada") { replica, _ in try replica.stateHash() }
      let isWhole = alone == stage.hash
      // If the keys were damaged, all frames are present, and reported as waiting.
      let waits = try stage.valley.ask("Ada") { try $0.status(now: $1).stateIsIncomplete }
      #expect(isWhole || waits || !missing.isEmpty, label)
      #expect(try stage.unlisted(missing) == [], label)

      // With an honest peer: everything is restored.
      stage.valley.heal()
      try stage.valley.converge()
      let (hash, problems) = try stage.valley.ask("Ada") { replica, _ in
        (try replica.stateHash(), try replica.verify().problems)
      }
      #expect(hash == stage.hash, label)
      #expect(problems == [], label)
      try stage.stop()
    }
  }

  @Test func `lost frames are listed, log by log, even if no table of them is left`() throws {
    var stage = try Stage()
    let ada = stage.valley.index("Ada")
    // Given a database of which only the first page is intact
    var files = stage.stopped
    files.database = files.database.prefix(4096)
    files.log = Data()
    stage.valley.cut(["Ada"], ["Ben"])
    #expect(try stage.start(with: files))

    // Then every frame of every log is missing, including Ben's and the root's
    let missing = try stage.valley.ask("Ada") { replica, _ in try replica.queries.missingFrames() }
    let expected = stage.holdings.heads.map { $0.log }
    #expect(missing.map(\.log) == expected)
    #expect(missing.map(\.sequences) == stage.holdings.heads.map { 0...$0.sequence })
    #expect(missing.map(\.isFloor) == expected.map { _ in true })
    #expect(expected.count > stage.incarnationState.sequences.count + 1)
    let problems = try stage.valley.ask("Ada") { replica, _ in try replica.verify().problems }
    #expect(problems.count { $0.hasPrefix("at least frame") } == expected.count)
    let said = try stage.valley.ask("Ada") { try $0.status(now: $1).missingFrames }
    #expect(said == stage.holdings.heads.reduce(0) { $0 + Int($1.sequence) + 1 })

    // And the list survives another loss, and is empty when a peer has sent everything again
    let known = try stage.valley.ask("Ada") { replica, _ in try replica.queries.holdings() }
    #expect(expected.allSatisfy { log in known.heads.contains { $0.log == log } })
    stage.valley.heal()
    try stage.valley.converge()
    #expect(
      try stage.valley.ask("Ada") { replica, _ in try replica.queries.missingFrames() }.isEmpty)
    #expect(try stage.valley.laptops[ada].store.missedHeads() == [])
  }

  @Test func `frames beyond a gap are kept, and joined when a peer fills it`() throws {
    // Given a database with one lost page, and a peer out of reach
    var stage = try Stage()
    var gapped: Files?
    var missing: [MissingFrames] = []
    stage.valley.cut(["Ada"], ["Ben"])
    for page in 1..<stage.stopped.database.count / 4096 {
      var files = stage.stopped
      let bytes = page * 4096..<(page + 1) * 4096
      files.database.replaceSubrange(bytes, with: Data(count: 4096))
      _ = try stage.start(with: files)
      missing = try stage.valley.ask("Ada") { replica, _ in try replica.queries.missingFrames() }
      let left = try stage.valley.laptops[stage.valley.index("Ada")].store.logsSetAside()
      if !missing.isEmpty, !left.isEmpty {
        gapped = files
        break
      }
      try stage.stop()
    }
    #expect(gapped != nil)

    // Then the gap is reported, with its author
    let first = try #require(missing.first)
    let problems = try stage.valley.ask("Ada") { replica, _ in try replica.verify().problems }
    #expect(problems.contains { $0.contains("missing from log \(first.log.short)") })

    // And when the peer is in reach again it is filled, and no salvaged frame is left
    stage.valley.heal()
    try stage.valley.converge()
    #expect(try stage.valley.ask("Ada") { replica, _ in try replica.stateHash() } == stage.hash)
    #expect(
      try stage.valley.ask("Ada") { replica, _ in try replica.queries.missingFrames() }.isEmpty)
    #expect(try stage.valley.laptops[stage.valley.index("Ada")].store.logsSetAside().isEmpty)
    #expect(try stage.valley.ask("Ada") { replica, _ in try replica.verify().problems } == [])
  }
}
