import Foundation
import MusterModel
import MusterReplica
import MusterTestKit
import Testing

/// Random commands on random devices with partitions and a loss of three datagrams in ten; devices
/// are switched off and on. In the end all converge, and no acknowledged write is lost.
@Suite("A swarm")
struct SwarmTests {
  /// One seed by hand: `MUSTER_TEST_SEED=17 swift test --filter SwarmTests`.
  static var seeds: [UInt64] {
    if let seed = Volume.onlySeed { return [seed] }
    return Array(1...20)
  }

  @Test(arguments: SwarmTests.seeds)
  func `five devices converge in the end, and keep every acknowledged write`(seed: UInt64) throws {
    do {
      var swarm = try Swarm(seed: seed)
      for _ in 0..<30 { try swarm.act() }
      let elapsed = try swarm.settle()
      try swarm.expectAgreement()
      if Volume.onlySeed != nil {
        print("seed \(seed): agreement \(elapsed) ms after the network healed")
      }
    } catch {
      Issue.record(
        "seed \(seed): \(error); MUSTER_TEST_SEED=\(seed) swift test --filter SwarmTests")
    }
  }

  @Test func `a seed gives the same run every time`() throws {
    func run() throws -> [StateHash] {
      var swarm = try Swarm(seed: 3)
      for _ in 0..<15 { try swarm.act() }
      return try swarm.valley.hashes()
    }
    #expect(try run() == run())
  }
}
