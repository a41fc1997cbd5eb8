import Foundation
import MusterCrypto
import MusterModel
import MusterTestKit
import Testing

@testable import MusterSync

/// Row N3 of the faults: genuine datagrams with bits flipped, cut short, or gone on with. None may
/// count. `MUSTER_VOLUME=1000000` for the whole volume.
@Suite("Damaged datagrams")
struct MutationTests {
  private static let volume = Volume.orUsual(10_000)

  @Test func `of what was damaged on its way nothing is stored or answered`() {
    // Given the datagrams that one of two devices receives from the other
    var world = World(seed: 1)
    world.found()
    world.enrol(.member)
    world.tap = []
    world.run(seconds: 3) { $0.areConnected(0, 1) && $0.haveConverged }
    for turn in 0..<20 {
      world.write(2, at: 0)
      world.record(UInt64(turn) + 1, at: 0)
      world.run(seconds: 1)
    }
    var genuine = (world.tap ?? []).filter {
      $0.from == world.stations[0].endpoint && $0.bytes[0] == DatagramKind.transport.rawValue
    }.map(\.bytes)
    genuine += Self.announces(of: world.stations[0].engine, after: world.now)
    #expect(Set(genuine.map { $0[0] }).count == 2)
    // When it comes again, damaged
    var engine = world.stations[1].engine
    var random = DeterministicRandom(seed: Cast.seed(1))
    for number in 0..<Self.volume {
      let original = genuine[Int(random.uniform(below: UInt64(genuine.count)))]
      let bytes = Self.damaged(original, random: &random)
      let effects = engine.handle(
        .datagram(bytes, from: world.stations[0].endpoint, link: .unknown),
        now: Cast.clock(world.now))
      // Then it is counted, and nothing comes of it
      let isRefused = effects.allSatisfy {
        if case .notice(.rejected) = $0 { true } else { false }
      }
      guard isRefused, effects.count == 1 else {
        Issue.record("damaged datagram \(number) did something: \(effects)")
        return
      }
    }
  }

  private static func announces(of engine: SyncEngine, after start: Instant) -> [[UInt8]] {
    var engine = engine
    var announces: [[UInt8]] = []
    var now = start
    while announces.count < 5 {
      now = max(now, engine.nextDeadline ?? now)
      let effects = engine.handle(.deadlinePassed, now: Cast.clock(now))
      for case .send(let bytes, to: .multicast) in effects {
        announces.append(bytes)
      }
    }
    return announces
  }

  private static func damaged(_ bytes: [UInt8], random: inout DeterministicRandom) -> [UInt8] {
    var damaged = bytes
    switch random.uniform(below: 3) {
    case 0:
      repeat {
        let bit = Int(random.uniform(below: UInt64(bytes.count * 8)))
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      } while random.uniform(below: 2) == 0 || damaged == bytes
    case 1: damaged.removeLast(1 + Int(random.uniform(below: UInt64(bytes.count))))
    default: damaged += random.bytes(1 + Int(random.uniform(below: 300)))
    }
    return damaged
  }
}
