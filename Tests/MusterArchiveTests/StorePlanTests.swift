import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterArchive

/// Which frames of a batch are copied without a comparison with what is stored.
@Suite("Plan of a stored batch")
struct StorePlanTests {
  private let world: World
  private let frames: [Frame]

  init() throws {
    world = try World()
    frames = world.longLog(frames: 200, bytes: 4)
  }

  private func run(_ range: ClosedRange<Int>) -> VerifiedRun {
    VerifiedRun(frames: Array(frames[range]), opening: nil)
  }

  private func heads(at sequences: Int...) -> [LogID: BranchHeads] {
    var heads = BranchHeads()
    for sequence in sequences {
      heads.add(frames[sequence].hash, at: UInt64(sequence), isFork: false)
    }
    return sequences.isEmpty ? [:] : [frames[0].log: heads]
  }

  private func numbers(_ plan: StorePlan) -> [UInt64] { plan.new.map(\.sequence) }

  @Test func `an empty archive takes all runs in order`() {
    let plan = StorePlan([run(0...32), run(33...64)], after: [:])
    #expect(numbers(plan) == Array(0...64))
    #expect(plan.branches.isEmpty)
    #expect(plan.heads[frames[0].log]?.tips == [frames[64].hash: 64])
  }

  @Test func `what another post stored meanwhile is not copied again`() {
    // Given the archive ends within the second run
    let plan = StorePlan(
      [run(0...32), run(33...64), run(65...96)], after: heads(at: 40),
      stored: [frames[32].hash])
    #expect(numbers(plan) == Array(41...96))
    #expect(plan.branches.isEmpty)
    #expect(plan.heads[frames[0].log]?.tips == [frames[96].hash: 96])
  }

  @Test func `a batch that is archived changes nothing`() {
    let plan = StorePlan(
      [run(0...32), run(33...64)], after: heads(at: 64), stored: [frames[32].hash])
    #expect(plan.new.isEmpty && plan.branches.isEmpty && plan.changed.isEmpty)
    #expect(plan.heads[frames[0].log]?.tips == [frames[64].hash: 64])
  }

  @Test func `a run that no head explains is a branch, and so is what follows it in its log`() {
    let other = world.log(of: world.ada, lane: .urgent, bodies: [[1]])
    let plan = StorePlan(
      [run(33...64), run(65...96), VerifiedRun(frames: other, opening: nil)],
      after: heads(at: 20))
    #expect(plan.new.map(\.log) == [other[0].log, other[0].log])
    #expect(plan.branches.count == 2)
    #expect(plan.changed == [frames[0].log, other[0].log])
  }

  /// However two posts interleave and repeat a log, each frame is copied once, in its order.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `repeated and overlapping runs store each frame once`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (heads, stored): ([LogID: BranchHeads], [UInt64]) = ([:], [])
    // Given the ends that two posts may send runs to
    let ends = [32, 40, 64, 96, 100, 128, 160, 199]
    while stored.count < frames.count {
      let first = Int(random.next() % 4) == 0 ? 0 : stored.count
      let last = ends.filter { $0 >= first }.randomElement(using: &random) ?? 199
      let known = Set(frames[0..<stored.count].map(\.hash))
      let plan = StorePlan([run(first...last)], after: heads, stored: known)
      #expect(plan.branches.isEmpty, "seed \(seed)")
      stored += numbers(plan)
      heads = plan.heads
    }
    #expect(stored == Array(0...199), "seed \(seed)")
    #expect(heads[frames[0].log]?.tips == [frames[199].hash: 199], "seed \(seed)")
  }
}
