internal import MusterModel

/// Runs of one log of which each follows the one before, by the hash that it states.
struct RunChain {
  private var runs: [[Frame]]

  /// Joins runs to chains. The runs MUST NOT be empty, and their hashes computed.
  static func chains(of runs: [[Frame]]) -> [RunChain] {
    var chains: [RunChain] = []
    var ends: [FrameHash: Int] = [:]
    for run in runs {
      guard let first = run.first, let last = run.last else { continue }
      if let index = ends.removeValue(forKey: first.previous) {
        chains[index].runs.append(run)
        ends[last.hash] = index
      } else {
        chains.append(RunChain(runs: [run]))
        ends[last.hash] = chains.count - 1
      }
    }
    return chains
  }

  /// The newest frame.
  var end: FrameName { FrameName(runs[runs.count - 1][runs[runs.count - 1].count - 1]) }

  /// The last frame of each run.
  var lasts: [FrameHash] { runs.compactMap { $0.last?.hash } }

  /// The last frame of each run, and the frame that the first one follows.
  var names: [FrameName] {
    runs.compactMap { $0.last.map(FrameName.init) }
      + [runs.first?.first.flatMap(FrameName.init(before:))].compactMap(\.self)
  }
}
