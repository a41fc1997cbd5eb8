import Foundation
import MusterCrypto
import MusterModel
import MusterStatus
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// Random attacks on the ages at a replica: `AgeAttackTests` at the level of `AgeTracker`, with its
/// store, restarts of the program and of the machine, restored disks to which own frames come back,
/// trackers and the echoes that it selects. In half of the worlds the attacker has the observer's
/// key too.
/// `MUSTER_VOLUME=10000` runs as many worlds; `MUSTER_TEST_SEED` replays one.
@Suite("Attacks on the ages at a replica")
struct AgeTrackerAttackTests {
  @Test func `no random attack postpones a silence or changes the age of a frame`() throws {
    let seeds = Volume.seeds(orUsual: 200)
    var (checks, bounded, returned) = (0, 0, 0)
    for seed in seeds {
      var world = try TrackerWorld(seed: seed)
      try world.run(steps: 80)
      checks += world.checks
      bounded += world.bounded
      returned += world.returned
      for violation in world.violations.prefix(1) { Issue.record("seed \(seed): \(violation)") }
    }
    print("ages of a replica: \(seeds.count) worlds, \(checks) checks, \(bounded) with a bound")
    if Volume.onlySeed == nil { #expect(bounded * 3 > checks && returned > 0) }
  }
}

/// An observer, two honest devices and an attacker with a valid key who controls the network.
private struct TrackerWorld {
  private struct Laptop {
    let id: DeviceID
    var store: Store
    var tracker: AgeTracker
    var boot: UInt64 = 1
    var bootedAt: Int64
    var drift: Int64
    /// The newest position of each author.
    var newest: [Int: Int] = [:]
    var backup: Backup?
  }

  /// A copy of a disk, and what it holds.
  private struct Backup {
    let store: Store
    let newest: [Int: Int]
    let delivered: Set<Int>
  }

  private struct Record {
    let id: StampedRecordID
    let author: Int
    let stated: RecordStamp
    let madeAt: Int64
    let isFrame: Bool
  }

  private var random: SplitMix64
  private var now: Int64 = 40 * 86_400_000
  private var laptops: [Laptop] = []
  private var records: [Record] = []
  private var delivered: Set<Int> = []
  private(set) var violations: [String] = []
  private(set) var checks = 0
  private(set) var bounded = 0
  /// Own frames of the observer that came back and have an upper bound before their arrival.
  private(set) var returned = 0
  private let hasObserversKey: Bool
  private static let attacker = 3

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    hasObserversKey = seed % 2 == 1
    for number in 0..<3 {
      let id = DeviceID(raw: Bytes16(high: 1, low: UInt64(number)))
      let bootedAt = now - Int64(random.number(below: 30 * 86_400_000))
      let drift = Int64(random.number(below: 199)) - 99
      let store = try Store.inMemory()
      let clock = Self.clock(now, bootedAt, drift)
      laptops.append(
        Laptop(
          id: id, store: store,
          tracker: try AgeTracker(store: store, observer: id, boot: Self.boot(1, id), now: clock),
          bootedAt: bootedAt, drift: drift))
    }
  }

  private static func boot(_ number: UInt64, _ id: DeviceID) -> BootID {
    BootID(raw: Bytes16(high: number, low: id.raw.low))
  }

  private static func clock(_ now: Int64, _ bootedAt: Int64, _ drift: Int64) -> ClockReading {
    let elapsed = now - bootedAt
    // The wall clock is ten years off.
    return ClockReading(
      instant: Instant(microseconds: now * 1000),
      wall: Timestamp(milliseconds: now + 315_576_000_000),
      boot: elapsed + elapsed * drift / 1_000_000, entropy: .zero)
  }

  private func clock(_ index: Int) -> ClockReading {
    Self.clock(now, laptops[index].bootedAt, laptops[index].drift)
  }

  private func reading(_ index: Int, at time: Int64) -> Int64 {
    Self.clock(time, laptops[index].bootedAt, laptops[index].drift).boot
  }

  private mutating func id() -> StampedRecordID {
    StampedRecordID(raw: Bytes16(high: random.next(), low: random.next()))
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      now += Int64(random.number(below: random.chance(oneIn: 6) ? 3_600_000 : 30_000))
      switch random.number(below: 20) {
      case 0..<8: try makeHonest(random.number(below: 3))
      case 8..<11: forge()
      case 11..<17: try deliver(anyRecord(), to: random.number(below: 3))
      case 17: try exchange()
      case 18:
        let index = random.number(below: 3)
        switch random.number(below: 3) {
        case 0: try backUp(index)
        case 1: try restore(index)
        default: try restart(index, isNewBoot: false)
        }
      default:
        if random.chance(oneIn: 3) { try restart(random.number(below: 3), isNewBoot: true) }
      }
      try check()
    }
    for laptop in laptops { laptop.tracker.checkInvariants() }
  }

  // MARK: Events

  private mutating func makeHonest(_ index: Int) throws {
    let clock = clock(index)
    let isFrame = random.chance(oneIn: 3)
    let device = laptops[index].id
    var drawn = DeterministicRandom(seed: random.bytes(32))
    let stated = laptops[index].tracker.stamp(
      isFrame ? .always : .ifDue, devices: 4, silence: 600_000,
      commanders: { [DeviceID(raw: Bytes16(high: 1, low: 0))] }, random: &drawn, now: clock)
    let id = id()
    if isFrame {
      laptops[index].tracker.noteOwnFrame(
        FrameHash(raw: Bytes32(prefix: id.raw, suffix: .zero)), stated)
    } else {
      laptops[index].tracker.noteOwn(id, of: device, from: .position, stated)
    }
    records.append(
      Record(id: id, author: index, stated: stated, madeAt: now, isFrame: isFrame))
    try commit(index)
  }

  private mutating func forge() {
    let boots = records.map(\.stated.stamp.boot)
    let boot =
      random.chance(oneIn: 2) || boots.isEmpty
      ? BootID(raw: Bytes16(high: random.next(), low: 9)) : random.choice(of: boots)
    let echoes = (0..<random.number(below: 5)).map { _ in
      records.isEmpty ? StampedRecordID(raw: .zero) : records[anyRecord()].id
    }
    guard
      let stamp = Stamp(boot: boot, milliseconds: Int64(random.number(below: 1 << 48))),
      let stated = RecordStamp(stamp, echoes: random.chance(oneIn: 4) ? nil : echoes)
    else { return }
    records.append(
      Record(
        id: id(), author: hasObserversKey && random.chance(oneIn: 3) ? 0 : Self.attacker,
        stated: stated, madeAt: now, isFrame: random.chance(oneIn: 2)))
  }

  private mutating func anyRecord() -> Int {
    guard !records.isEmpty, random.chance(oneIn: 4) else {
      return max(0, records.count - 1 - random.number(below: 6))
    }
    return random.number(below: records.count)
  }

  private mutating func deliver(_ number: Int, to index: Int) throws {
    guard number < records.count else { return }
    let record = records[number]
    // Only frames that the disk lacks come back.
    if record.author == index {
      guard record.isFrame, try laptops[index].store.arrival(ofFrame: record.id.raw) == nil
      else { return }
    }
    if !record.isFrame {
      // Only a newer position is accepted.
      guard number > laptops[index].newest[record.author] ?? -1 else { return }
      laptops[index].newest[record.author] = number
    }
    let author = DeviceID(raw: Bytes16(high: 1, low: UInt64(record.author)))
    if record.isFrame {
      laptops[index].tracker.takeFrame(
        FrameHash(raw: Bytes32(prefix: record.id.raw, suffix: .zero)), by: author,
        stated: record.stated, now: clock(index))
    } else {
      laptops[index].tracker.take(
        record.id, of: author, from: .position, by: author, stated: record.stated,
        now: clock(index))
    }
    if index == 0 { delivered.insert(number) }
    try commit(index)
  }

  /// Every device receives the newest record of every device.
  private mutating func exchange() throws {
    for author in 0...Self.attacker {
      guard let newest = records.indices.last(where: { records[$0].author == author }) else {
        continue
      }
      for index in 0..<3 { try deliver(newest, to: index) }
    }
  }

  private mutating func restart(_ index: Int, isNewBoot: Bool) throws {
    if isNewBoot {
      laptops[index].boot += 1
      laptops[index].bootedAt = now
      laptops[index].drift = Int64(random.number(below: 199)) - 99
    }
    laptops[index].tracker = try AgeTracker(
      store: laptops[index].store, observer: laptops[index].id,
      boot: Self.boot(laptops[index].boot, laptops[index].id), now: clock(index))
    try commit(index)
  }

  private mutating func backUp(_ index: Int) throws {
    laptops[index].backup = Backup(
      store: try laptops[index].store.copiedInMemory(), newest: laptops[index].newest,
      delivered: index == 0 ? delivered : [])
  }

  /// The machine starts with the disk of the backup, and some of what that lacks comes back.
  private mutating func restore(_ index: Int) throws {
    guard let backup = laptops[index].backup else { return }
    laptops[index].store = try backup.store.copiedInMemory()
    laptops[index].newest = backup.newest
    if index == 0 { delivered = backup.delivered }
    try restart(index, isNewBoot: true)
    for number in records.indices.suffix(20) where records[number].author == index {
      now += Int64(random.number(below: 5000))
      if !random.chance(oneIn: 3) { try deliver(number, to: index) }
    }
  }

  private mutating func commit(_ index: Int) throws {
    var batch = Batch()
    batch.ages = laptops[index].tracker.takeChanges()
    _ = try laptops[index].store.commit(batch)
  }

  // MARK: Invariants of the observer

  /// The attacker may have written a record under its own key, or the observer's.
  private func isChecked(_ record: Record) -> Bool {
    record.isFrame && record.author != Self.attacker && !(hasObserversKey && record.author == 0)
  }

  private mutating func check() throws {
    let clock = clock(0)
    for subject in 1...2 {
      let held = delivered.filter { records[$0].author == subject }
      guard let newest = held.map({ records[$0].madeAt }).max() else { continue }
      guard let age = laptops[0].tracker.age(of: laptops[subject].id, now: clock) else {
        violations.append("no age of \(subject)")
        continue
      }
      let truth = reading(0, at: now) - reading(0, at: newest)
      checks += 1
      if age.latest < 1 << 51 { bounded += 1 }
      if age.latest < truth { violations.append("\(subject) looks younger: \(age), \(truth)") }
      if age.earliest > truth { violations.append("\(subject) looks older: \(age), \(truth)") }
    }
    for number in delivered where isChecked(records[number]) {
      guard let frame = try laptops[0].store.arrival(ofFrame: records[number].id.raw),
        let made = laptops[0].tracker.made(frame)
      else {
        violations.append("frame \(number) has no date")
        continue
      }
      let truth = reading(0, at: records[number].madeAt)
      if made.earliest > truth || made.latest < truth {
        violations.append("frame \(number) was made at \(truth), not within \(made)")
      }
      if records[number].author == 0, made.latest < frame.made.latest { returned += 1 }
    }
    let faults = laptops[0].tracker.clockFaults(now: clock)
    if faults.contains(where: { $0.raw.low < 3 }) { violations.append("a fault of \(faults)") }
  }
}
