import Foundation
import MusterCrypto
import MusterModel
import MusterStatus
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// What a day of stamps costs to commit, and to take up at a start. `MUSTER_VOLUME=1000` for as
/// many devices.
@Suite struct AgeVolumeTests {
  private static let devices = UInt64(Volume.orUsual(20))
  /// An anchor each five minutes for a day: the pace of a large operation.
  private static let rounds: Int64 = 288
  private static let pause: Int64 = 300_000

  private static func device(_ number: UInt64) -> DeviceID {
    DeviceID(raw: Bytes16(high: 1, low: number))
  }

  private static func clock(_ boot: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: boot * 1000), wall: Timestamp(milliseconds: boot), boot: boot,
      entropy: .zero)
  }

  @Test func `a start takes up a day of stamps, and knows the same ages`() throws {
    let own = Self.device(0)
    let boot = BootID(raw: Bytes16(high: 7, low: 0))
    let store = try Store.inMemory()
    var random = DeterministicRandom(seed: [UInt8](repeating: 7, count: 32))
    var tracker = try AgeTracker(store: store, observer: own, boot: boot, now: Self.clock(0))
    var commits: [Duration] = []
    var name: UInt64 = 0
    func commit() throws {
      var batch = Batch()
      batch.ages = tracker.takeChanges()
      commits.append(try ContinuousClock().measure { _ = try store.commit(batch) })
    }
    for round in 1...Self.rounds {
      let start = round * Self.pause
      let stated = tracker.stamp(
        .always, devices: Int(Self.devices), silence: 600_000, commanders: { [] }, random: &random,
        now: Self.clock(start))
      name += 1
      let anchor = StampedRecordID(raw: Bytes16(high: 3, low: name))
      tracker.noteOwn(anchor, of: own, from: .presence, stated)
      for number in 1...Self.devices {
        let now = start + Int64(number) * 100
        name += 1
        let stamp = try #require(
          Stamp(boot: BootID(raw: Bytes16(high: 8, low: number)), milliseconds: now - 40))
        let device = Self.device(number)
        tracker.take(
          StampedRecordID(raw: Bytes16(high: 3, low: name)), of: device, from: .presence,
          by: device, stated: RecordStamp(stamp, echoes: [anchor]), now: Self.clock(now))
        if number % 10 == 0 { try commit() }
      }
      try commit()
    }
    let now = Self.clock((Self.rounds + 1) * Self.pause)
    var restarted = tracker
    let start = try ContinuousClock().measure {
      restarted = try AgeTracker(store: store, observer: own, boot: boot, now: now)
    }
    #expect(restarted.anchorCount == tracker.anchorCount)
    for number in 1...Self.devices {
      let device = Self.device(number)
      #expect(restarted.age(of: device, now: now) == tracker.age(of: device, now: now))
    }
    let median = commits.sorted()[commits.count / 2]
    print(
      "ages: \(Self.devices) devices, \(tracker.anchorCount) anchors; a commit of ten \(median), "
        + "a start \(start)")
  }
}
