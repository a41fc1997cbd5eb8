import MusterModel
import MusterStatus
import MusterTestKit
import Testing

/// How fast a large operation determines upper bounds when all devices start at once.
@Suite("Spread of the evidence of age")
struct AgeSpreadTests {
  @Test func `after five anchors each, every device has an upper bound of every age`() throws {
    #expect(try shares(devices: 60, command: 3, rounds: 5).last == 1)
  }

  /// Returns the share of all pairs with an upper bound after each round. In a round each device
  /// makes one anchor, in a random order, and all others receive it at once.
  private func shares(devices: Int, command: Int, rounds: Int) throws -> [Double] {
    var random = SplitMix64(seed: 5)
    let ids = (0..<devices).map { DeviceID(raw: Bytes16(high: 0, low: UInt64($0))) }
    let isCommand = { (id: DeviceID) in id.raw.low < UInt64(command) }
    let boot = BootID(raw: .zero)
    var evidence = ids.map(AgeEvidence.init)
    var (now, shares) = (Int64(0), [Double]())
    for _ in 0..<rounds {
      for author in ids.indices.shuffled(using: &random) {
        now += 1000
        let candidates = evidence[author].candidates(isCommand: isCommand)
        let echoes = StampedRecord.chooseEchoes(of: candidates, using: &random)
        let id = StampedRecordID(raw: Bytes16(high: random.next(), low: random.next()))
        let stamp = try #require(Stamp(boot: boot, milliseconds: now))
        let record = try #require(
          StampedRecord(id: id, author: ids[author], stamp: stamp, echoes: echoes))
        evidence[author].insertOwn(id, isAnchor: true, at: now)
        for observer in ids.indices where observer != author {
          _ = evidence[observer].insert(record, at: now)
        }
      }
      var bounded = 0
      for observer in ids.indices {
        for id in ids where evidence[observer].newest(of: id)?.hasEarliest == true { bounded += 1 }
      }
      shares.append(Double(bounded) / Double(devices * devices))
    }
    print("of \(devices) devices, \(command) of command, with an upper bound:", shares)
    return shares
  }
}
