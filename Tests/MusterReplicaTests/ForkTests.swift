import Foundation
import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

@Suite("Forks")
struct ForkTests {
  private func titles(_ name: String, in valley: inout Valley) throws -> [String] {
    try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.title).sorted()
  }

  private func report(_ title: String, at name: String, in valley: inout Valley) throws {
    try valley.at(name) { try $0.write(ReportRequests.add(ReportDraft(title: title)), now: $1) }
  }

  private func incarnationState(_ name: String, in valley: inout Valley) throws
    -> Replica.IncarnationState
  {
    try valley.ask(name) { replica, _ in replica.incarnationState }
  }

  @Test func `a device and its copy write separately, and no data of either is lost`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    // Given a copy of Ben's device, on the other side of a partition
    try valley.copy("Ben", as: "Ben's copy", in: folder)
    valley.cut(["Ada", "Ben"], ["Cleo", "Ben's copy"])
    let before = try incarnationState("Ben", in: &valley)
    for number in 1...40 { try report("Ben \(number)", at: "Ben", in: &valley) }
    for number in 1...3 { try report("Copy \(number)", at: "Ben's copy", in: &valley) }
    try valley.run(milliseconds: 20_000)
    // When the partition heals
    valley.heal()
    try valley.converge(within: 120_000)

    // Then every node shows what both wrote, and reports the fork
    for name in valley.names {
      #expect(try titles(name, in: &valley).count == 44, "at \(name)")
      let status = try valley.ask(name) { try $0.status(now: $1) }
      let fork = try #require(status.forks.first, "at \(name)")
      #expect(fork.callsign == "Ben" && fork.branches == 2 && fork.lane == .state)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    #expect(
      valley.laptops.allSatisfy { laptop in laptop.rejections.allSatisfy { $0 != "forged" } })
    // and both continue, each in an incarnation of its own
    let incarnations = try [
      incarnationState("Ben", in: &valley), incarnationState("Ben's copy", in: &valley),
    ]
    #expect(Set([before.incarnation] + incarnations.map(\.incarnation)).count == 3)
    #expect(incarnations.allSatisfy { $0.generation > before.generation })
    try report("After", at: "Ben", in: &valley)
    try report("After, by the copy", at: "Ben's copy", in: &valley)
    try valley.converge()
    #expect(try titles("Ada", in: &valley).count == 46)
    // over restarts too
    let hashes = try valley.hashes()
    for name in valley.names { try valley.restart(name) }
    #expect(try valley.hashes() == hashes)
    #expect(try valley.ask("Ada") { try $0.status(now: $1) }.forks.count == 1)
    // and a late joiner receives everything.
    try valley.join("Dan", invitedBy: "Ada")
    try valley.converge(within: 120_000)
    #expect(try titles("Dan", in: &valley).count == 46)
  }

  /// Restores Ben's device to a state before a report that every device holds, without its
  /// sentinel's help.
  private func putBack(in folder: TemporaryFolder) throws -> Valley {
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report("Before the backup", at: "Ben", in: &valley)
    try valley.converge()
    let path = folder.database("Ben")
    try valley.switchOff("Ben")
    let backup = try Data(contentsOf: URL(fileURLWithPath: path))
    try valley.switchOn("Ben")
    try report("After the backup", at: "Ben", in: &valley)
    try valley.converge()
    try valley.switchOff("Ben")
    for ending in ["-wal", "-shm"]
    where FileManager.default.fileExists(atPath: path + ending) {
      try FileManager.default.removeItem(atPath: path + ending)
    }
    try backup.write(to: URL(fileURLWithPath: path))
    return valley
  }

  @Test func `a restored backup asks its peers first, and forks nothing`() throws {
    let folder = try TemporaryFolder()
    var valley = try putBack(in: folder)
    try valley.switchOn("Ben")
    // When it writes as soon as it may
    #expect(try !valley.ask("Ben") { $0.mayWrite(now: $1.instant) })
    let began = valley.now
    _ = try valley.wait(upTo: 5000) { valley in
      try valley.ask("Ben") { $0.mayWrite(now: $1.instant) }
    }
    #expect(valley.now.milliseconds(since: began) < HeadsQuery.lastMilliseconds)
    try report("After it was put back", at: "Ben", in: &valley)
    try valley.converge()
    // Then nothing is lost, and nothing has forked
    for name in valley.names {
      #expect(try titles(name, in: &valley).count == 3, "at \(name)")
      #expect(try valley.ask(name) { try $0.status(now: $1) }.forks.isEmpty, "at \(name)")
    }
    #expect(try incarnationState("Ben", in: &valley).generation == 2)
    // and the next start, which finds equal state, continues at once.
    let before = try incarnationState("Ben", in: &valley)
    // No presence record is in transit.
    try valley.run(milliseconds: 60_000)
    try valley.converge()
    try valley.restart("Ben")
    let again = valley.now
    _ = try valley.wait(upTo: 5000) { valley in
      try valley.ask("Ben") { $0.mayWrite(now: $1.instant) }
    }
    #expect(valley.now.milliseconds(since: again) < HeadsQuery.aloneMilliseconds)
    #expect(try incarnationState("Ben", in: &valley).incarnation == before.incarnation)
  }

  @Test func `a device without an answer waits a second, and one without peers not`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada"], ["Ben"])
    try valley.restart("Ben")
    let began = valley.now
    _ = try valley.wait(upTo: 5000) { valley in
      try valley.ask("Ben") { $0.mayWrite(now: $1.instant) }
    }
    let waited = valley.now.milliseconds(since: began)
    #expect(waited > 0 && waited <= HeadsQuery.aloneMilliseconds + 100)

    var lonely = Valley(seed: 3)
    try lonely.found("Dan", path: folder.database("Dan"))
    try report("Alone", at: "Dan", in: &lonely)
    try lonely.restart("Dan")
    #expect(try lonely.ask("Dan") { $0.mayWrite(now: $1.instant) })
  }

  @Test func `a device restored from a backup loses nothing and continues`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report("Before the backup", at: "Ben", in: &valley)
    try valley.converge()
    try valley.copy("Ben", as: "Backup", in: folder)
    valley.cut(["Ada", "Ben"], ["Backup"])
    try report("After the backup", at: "Ben", in: &valley)
    try valley.run(milliseconds: 10_000)
    // When the backup replaces the device, and writes before any peer has answered
    try valley.switchOff("Ben")
    try report("Before meeting", at: "Backup", in: &valley)
    valley.heal()
    try valley.converge()
    try report("At last", at: "Backup", in: &valley)
    try valley.converge()
    for name in valley.names {
      #expect(
        try titles(name, in: &valley)
          == ["After the backup", "At last", "Before meeting", "Before the backup"])
    }
    #expect(try valley.ask("Ada") { try $0.status(now: $1) }.forks.count == 1)
  }

  /// Returns the frames of a device's log after a sequence.
  private func run(
    of name: String, after sequence: UInt64, in valley: Valley
  ) throws -> (opening: Opening, frames: [Frame]) {
    let laptop = valley.laptops[valley.index(name)]
    let log = try #require(
      laptop.store.logs().first {
        $0.opening.certificate == laptop.credentials.certificate && $0.opening.lane == .state
      })
    return (
      log.opening,
      try laptop.store.frames(
        log: log.head.log, from: sequence + 1, maxBytes: 1 << 20, maxFrames: 100)
    )
  }

  private func written(_ name: String, in valley: Valley) throws -> UInt64 {
    try run(of: name, after: 0, in: valley).frames.last?.sequence ?? 0
  }

  /// Returns the state of a fresh copy of Ada's device after these runs in this order.
  private func outcome(
    of runs: [(opening: Opening, frames: [Frame])], number: Int, in valley: inout Valley,
    _ folder: TemporaryFolder
  ) throws -> Outcome {
    let ada = valley.laptops[0]
    let path = folder.database("Ada \(number)")
    for ending in ["", "-wal"]
    where FileManager.default.fileExists(
      atPath: (ada.path ?? "") + ending)
    {
      try FileManager.default.copyItem(atPath: (ada.path ?? "") + ending, toPath: path + ending)
    }
    var replica = try Replica(
      store: try Valley.store(at: path, of: ada.credentials), credentials: ada.credentials,
      start: .continues,
      seed: [UInt8](repeating: 7, count: 32), systemBoot: [1], now: valley.clock)
    let clock = valley.clock
    for run in runs {
      _ = try replica.transact(now: clock) {
        try BranchAttacher.attach(
          run.frames, opening: run.opening, from: ada.credentials.device, to: &$0.core, now: clock)
      }
      try replica.checkInvariants()
    }
    return Outcome(
      strands: try replica.core.store.logs(), root: replica.root(), hash: try replica.stateHash(),
      problems: try replica.verify().problems, titles: try replica.queries.reports().map(\.title))
  }

  private struct Outcome {
    let strands: [LogSummary]
    let root: [UInt8]
    let hash: StateHash
    let problems: [String]
    let titles: [String]
  }

  private func permutations<T>(_ items: [T]) -> [[T]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
      (0...rest.count).map { index in
        var order = rest
        order.insert(first, at: index)
        return order
      }
    }
  }

  @Test func `branches form the same strands in any order of arrival`() throws {
    // Given four branches, of which two fork again later
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    let place = try written("Ben", in: valley)
    try valley.copy("Ben", as: "Copy 1", in: folder)
    try valley.copy("Ben", as: "Copy 2", in: folder)
    valley.cut(["Ada"], ["Ben"], ["Copy 1"], ["Copy 2"])
    try report("Copy 1, first", at: "Copy 1", in: &valley)
    try valley.copy("Copy 1", as: "Copy 3", in: folder)
    valley.cut(["Ada"], ["Ben"], ["Copy 1"], ["Copy 2"], ["Copy 3"])
    let names = ["Ben", "Copy 1", "Copy 2", "Copy 3"]
    for name in names {
      try report("\(name), one", at: name, in: &valley)
      try report("\(name), two", at: name, in: &valley)
    }
    let runs = try names.map { try run(of: $0, after: place, in: valley) }
    try valley.switchOff("Ada")
    // When they arrive in every order, and some twice
    var seen: [Outcome] = []
    for (number, order) in permutations(runs).enumerated() {
      seen.append(
        try outcome(of: order + [order[0]], number: number, in: &valley, folder))
    }
    // Then all have the same result
    #expect(seen.count == 24)
    for other in seen {
      #expect(other.strands == seen[0].strands)
      #expect(other.root == seen[0].root)
      #expect(other.hash == seen[0].hash)
      #expect(other.problems == [])
    }
    #expect(seen[0].strands.count { $0.base != nil && !$0.isParted } == 4)
  }

  @Test func `with more than eight branches nothing counts after the fork, in any order`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    let place = try written("Ben", in: valley)
    let names = (1...11).map { "Copy \($0)" }
    for name in names { try valley.copy("Ben", as: name, in: folder) }
    valley.air.cut(into: valley.laptops.map { [$0.endpoint] })
    for name in names { try report("By \(name)", at: name, in: &valley) }
    var runs = try names.map { try run(of: $0, after: place, in: valley) }
    try valley.switchOff("Ada")
    var first: StateHash?
    var draw = SplitMix64(seed: 9)
    for number in 1...4 {
      for index in runs.indices.dropLast() {
        runs.swapAt(index, index + draw.number(below: runs.count - index))
      }
      let seen = try outcome(of: runs, number: number, in: &valley, folder)
      #expect(seen.hash == first ?? seen.hash, "seed 9, order \(number)")
      #expect(seen.titles == ["Before"], "seed 9, order \(number)")
      first = seen.hash
      #expect(seen.strands.count { $0.base != nil && !$0.isParted } == 9)
      #expect(seen.problems == [])
    }
  }

  @Test func `a cut-off on one branch excludes the others`() throws {
    // Given a device and its copy, and a commander who knows only one branch
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    try valley.copy("Ben", as: "Copy", in: folder)
    valley.cut(["Ada", "Ben"], ["Cleo", "Copy"])
    try report("By Ben", at: "Ben", in: &valley)
    for number in 1...3 { try report("By the copy, \(number)", at: "Copy", in: &valley) }
    try valley.run(milliseconds: 10_000)
    // When she revokes the device
    let device = valley.laptops[1].credentials.device
    try valley.at("Ada") { try $0.revoke(device, now: $1) }
    valley.heal()
    try valley.run(milliseconds: 90_000)
    // Then only the branch that she knew counts, everywhere
    for name in ["Ada", "Cleo"] {
      #expect(try titles(name, in: &valley) == ["Before", "By Ben"], "at \(name)")
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    let status = try ["Ada", "Cleo"].map { name in
      try valley.ask(name) { try $0.status(now: $1) }
    }
    #expect(status[0].root == status[1].root)
    #expect(status[0].quarantinedFrames >= 3)
    // and she releases the honest frames of the other.
    let listed = try valley.ask("Ada") { replica, _ in try replica.queries.quarantine() }
    let first = try #require(listed.first { $0.contents.contains { $0.hasSuffix("copy, 1") } })
    try valley.at("Ada") { replica, now in
      try replica.release(first.hash.description, now: now)
    }
    let released = try valley.wait(upTo: 60_000) {
      try titles("Cleo", in: &$0) == ["Before", "By Ben", "By the copy, 1"]
    }
    #expect(released != nil)
    #expect(try titles("Ada", in: &valley) == ["Before", "By Ben", "By the copy, 1"])
  }

  @Test func `both branches are salvaged from a damaged database`() throws {
    // Given a fork that Ada holds
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try report("Before", at: "Ben", in: &valley)
    try valley.converge()
    try valley.copy("Ben", as: "Ben's copy", in: folder)
    valley.cut(["Ada", "Ben"], ["Ben's copy"])
    for number in 1...10 { try report("Ben \(number)", at: "Ben", in: &valley) }
    for number in 1...3 { try report("Copy \(number)", at: "Ben's copy", in: &valley) }
    try valley.run(milliseconds: 10_000)
    valley.heal()
    try valley.converge(within: 120_000)
    let hash = try valley.ask("Ada") { replica, _ in try replica.stateHash() }
    // When the first page of her database is corrupted, with no peer in reach
    valley.cut(["Ada"], ["Ben", "Ben's copy"])
    let ada = valley.laptops[valley.index("Ada")]
    let path = try #require(ada.path)
    let incarnationState = try incarnationState("Ada", in: &valley)
    try valley.switchOff("Ada")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[70] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try ReplicaDatabase.problem(at: path, of: ada.credentials, seed: Valley.seal) != nil)
    let repaired = folder.database("repaired")
    _ = try ReplicaDatabase.salvage(
      path, into: repaired, credentials: ada.credentials, witnessed: incarnationState,
      seed: Valley.seal)
    for suffix in ["", "-wal", "-shm"]
    where FileManager.default.fileExists(
      atPath: path + suffix)
    {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    try FileManager.default.moveItem(atPath: repaired, toPath: path)
    try valley.switchOn("Ada", start: .startsIncarnation(above: incarnationState.generation))

    // Then all of it is present again
    #expect(try valley.ask("Ada") { replica, _ in try replica.stateHash() } == hash)
    #expect(try valley.ask("Ada") { try $0.status(now: $1) }.forks.count == 1)
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
    #expect(try valley.laptops[valley.index("Ada")].store.logsSetAside().isEmpty)
  }
}
