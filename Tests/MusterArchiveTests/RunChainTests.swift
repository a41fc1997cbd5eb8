import MusterModel
import Testing

@testable import MusterArchive

/// Which runs of a bundle the end of a chain speaks for.
@Suite("Chains of runs")
struct RunChainTests {
  private let world: World
  private let main: [Frame]
  private let branch: [Frame]

  init() throws {
    world = try World()
    main = world.log(of: world.ada, lane: .state, bodies: (1...100).map { [$0] })
    branch = world.log(of: world.ada, lane: .state, bodies: (1...40).map { [$0] } + [[200], [201]])
  }

  private func ends(of runs: [[Frame]]) -> [FrameHash] {
    RunChain.chains(of: runs).map(\.end.hash)
  }

  @Test func `runs that follow each other are one chain, also between those of other logs`() {
    let other = world.log(of: world.ada, lane: .urgent, bodies: [[1], [2]])
    let runs = [Array(main[0...32]), other, Array(main[33...64]), Array(main[65...100])]
    #expect(ends(of: runs) == [main[100].hash, other[2].hash])
    #expect(
      RunChain.chains(of: runs)[0].lasts == [main[32].hash, main[64].hash, main[100].hash])
    #expect(RunChain.chains(of: runs)[0].names.count == 3, "nothing comes before its first frame")
  }

  @Test func `a branch is a chain of its own, wherever it is`() {
    // Given both continue frame 40, and the branch is between two runs of the other
    let runs = [
      Array(main[0...40]), Array(main[41...64]), Array(branch[41...42]), Array(main[65...100]),
    ]
    #expect(ends(of: runs) == [main[100].hash, branch[42].hash])
    // The frame that it follows is asked for too.
    #expect(RunChain.chains(of: runs)[1].names.map(\.hash) == [branch[42].hash, main[40].hash])
  }

  @Test func `a gap ends a chain`() {
    let runs = [Array(main[0...32]), Array(main[65...100])]
    #expect(ends(of: runs) == [main[32].hash, main[100].hash])
    #expect(RunChain.chains(of: runs)[1].names.map(\.hash) == [main[100].hash, main[64].hash])
  }
}
