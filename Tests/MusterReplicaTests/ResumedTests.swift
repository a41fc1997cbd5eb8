import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterReplica

/// Row I11 of the faults: a virtual machine is resumed twice from one snapshot, so that two copies
/// of a process draw the same bytes.
@Suite("A process that is resumed twice")
struct ResumedTests {
  /// What was sealed with each nonce.
  private struct Uses {
    private(set) var sealed: [Data: Data] = [:]

    mutating func add(_ nonce: some Collection<UInt8>, _ bytes: some Collection<UInt8>) {
      let bytes = Data(bytes)
      let before = sealed.updateValue(bytes, forKey: Data(nonce))
      #expect(before == nil || before == bytes, "a nonce has two plaintexts")
    }
  }

  private static func copy(_ from: String, to target: String) throws {
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: from + ending) {
      try FileManager.default.copyItem(atPath: from + ending, toPath: target + ending)
    }
  }

  private static func note(pagesOf path: String, in uses: inout Uses) throws {
    let database = try Data(contentsOf: URL(fileURLWithPath: path))
    let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    var pages = stride(from: 0, through: database.count - 4096, by: 4096).map {
      database[$0..<$0 + 4096]
    }
    pages += stride(from: 32, through: log.count - 4120, by: 4120).map {
      log[$0 + 24..<$0 + 4120]
    }
    // Behind the last frame of the log are zeros.
    for page in pages where page.contains(where: { $0 != 0 }) {
      uses.add(page.dropFirst(4056).prefix(24), page)
    }
  }

  private static func note(framesOf replica: Replica, in uses: inout Uses) throws {
    for log in try replica.core.store.logs() {
      let frames = try replica.core.store.frames(
        log: log.head.log, from: 1, maxBytes: 1 << 20, maxFrames: 1000)
      for frame in frames where frame.epoch != nil { uses.add(frame.body.prefix(24), frame.body) }
    }
  }

  @Test func `it never seals two frames or pages with one nonce, even if entropy repeats`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", in: folder)
    let ada = valley.laptops[0]
    let path = try #require(ada.path)
    try valley.switchOff("Ada")
    var (pages, frames) = (Uses(), Uses())
    for number in 0..<100 {
      for title in ["Smoke \(number)", "Flood \(number)"] {
        // Given a copy with the seed, the clock and the entropy of the other
        let copy = folder.database(title)
        try Self.copy(path, to: copy)
        let seed = [UInt8](repeating: UInt8(number), count: 32)
        let store = try ReplicaDatabase.open(at: copy, of: ada.credentials, seed: seed)
        var replica = try Replica(
          store: store, credentials: ada.credentials, start: .continues, seed: seed,
          systemBoot: [1],
          now: valley.clock)
        // When each writes something else
        _ = try replica.write(ReportRequests.add(ReportDraft(title: title)), now: valley.clock)
        // Then what they sealed has other nonces.
        try Self.note(framesOf: replica, in: &frames)
        try Self.note(pagesOf: copy, in: &pages)
        try replica.close()
      }
    }
    #expect(frames.sealed.count >= 200)
    #expect(pages.sealed.count >= 200)
  }

  @Test func `fresh entropy gives new rows of two copies other ids`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", in: folder)
    let ada = valley.laptops[0]
    let path = try #require(ada.path)
    try valley.switchOff("Ada")
    var ids: Set<RowID> = []
    for number in 0..<4 {
      let copy = folder.database("\(number)")
      try Self.copy(path, to: copy)
      let seed = [UInt8](repeating: 3, count: 32)
      let store = try ReplicaDatabase.open(at: copy, of: ada.credentials, seed: seed)
      var replica = try Replica(
        store: store, credentials: ada.credentials, start: .continues, seed: seed, systemBoot: [1],
        now: valley.clock)
      let now = ClockReading(
        instant: valley.clock.instant, wall: valley.clock.wall, boot: valley.clock.boot,
        entropy: Bytes16(high: 1, low: UInt64(number / 2)))
      ids.insert(
        try replica.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: now).answer)
      try replica.close()
    }
    // Two of them were given the same entropy, and so were the other two.
    #expect(ids.count == 2)
  }
}
