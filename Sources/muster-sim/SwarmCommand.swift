import ArgumentParser
import Foundation
import MusterSimulator

/// Runs random scenarios, one per seed.
struct SwarmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swarm",
    abstract: "Draws and plays a scenario for each of many seeds; shrinks what fails.",
    discussion: """
      To use both cores, run two with different --first. What fails is written to a scenario file, \
      made as small as it still fails.
      """)

  @Option(help: "How many.")
  var seeds: UInt64

  @Option(help: "The first; each next is one more.")
  var first: UInt64 = 1

  @Option(help: "How long each story is, in minutes; drawn where not given.")
  var minutes: Int64?

  @Flag(help: "Draws people who must check in; faults of clocks, power, links and restores alone.")
  var checkIns = false

  @Flag(help: "Draws people in and out of danger, and compares what every node shows.")
  var danger = false

  @Flag(help: "Draws 20 to 100 laptops on one radio channel, as in one world of ten otherwise.")
  var crowds = false

  @Option(help: "Where the files of failures go.")
  var failures = "simulations/failures"

  @Option(help: "How many runs to spend on making one failure smaller.")
  var shrinkRuns = 80

  @Flag(help: "Plays each seed twice, and compares the trace hashes.")
  var twice = false

  @Flag(help: "Prints one JSON object a line.")
  var json = false

  @Flag(help: "Prints what is drawn, as scenario files, and plays nothing.")
  var show = false

  func validate() throws {
    guard seeds > 0 else { throw ValidationError("--seeds: at least one") }
    guard minutes.map({ (1...100_000).contains($0) }) ?? true else {
      throw ValidationError("--minutes: from 1 to 100000")
    }
    let kinds = [checkIns, danger, crowds].count { $0 }
    guard kinds + (minutes == nil ? 0 : 1) < 2 else {
      throw ValidationError(
        "--check-ins, --danger and --crowds draw the length: give one of them, or --minutes")
    }
    guard first.addingReportingOverflow(seeds).overflow == false else {
      throw ValidationError("--first: too large")
    }
  }

  func run() throws {
    guard !show else {
      for seed in first..<first + seeds {
        Standard.output.write(drawn(seed).yaml)
      }
      return
    }
    var tally = SwarmTally()
    let progress = ProgressLine(isShown: !json)
    for seed in first..<first + seeds {
      FatalSignals.announce(
        replay: "muster-sim swarm --seeds 1 --first \(seed)"
          + (minutes.map { " --minutes \($0)" } ?? "") + (special.map { " \($0)" } ?? ""))
      let scenario = drawn(seed)
      progress.show("seed \(seed) (\(seed - first + 1) of \(seeds)): \(scenario.story)")
      let stopwatch = Stopwatch()
      let result = World.play(scenario, seed: seed)
      tally.add(result, processSeconds: stopwatch.processSeconds)
      if twice, World.play(scenario, seed: seed).traceHash != result.traceHash {
        tally.addDifference(seed)
        Standard.error.write("seed \(seed) gave two trace hashes\n")
      }
      if json {
        Standard.output.write(result.json(wallSeconds: stopwatch.wallSeconds))
      } else if !result.violations.isEmpty {
        progress.clear()
      }
      if !result.violations.isEmpty { try shrink(scenario, result, progress) }
    }
    progress.clear()
    if !json { Standard.output.write(tally.text(twice: twice)) }
    guard tally.isClean else { throw Refusal("\(tally.failed) of \(seeds) seeds failed") }
  }

  /// The flag of the drawing; nil for worlds of every kind.
  private var special: String? {
    checkIns ? "--check-ins" : danger ? "--danger" : crowds ? "--crowds" : nil
  }

  private func drawn(_ seed: UInt64) -> Scenario {
    if checkIns { return .drawnCheckIns(seed: seed) }
    if danger { return .drawnDanger(seed: seed) }
    let isCrowd = crowds || minutes == nil && Scenario.isCrowd(seed: seed)
    return isCrowd ? .drawnCrowd(seed: seed) : .drawn(seed: seed, minutes: minutes)
  }

  private func shrink(
    _ scenario: Scenario, _ result: RunResult, _ progress: ProgressLine
  ) throws {
    Standard.error.write("✗ \(scenario.story)\n")
    for violation in result.violations.prefix(5) { Standard.error.write("    \(violation)\n") }
    var shrinker = Shrinker(scenario, breaking: result.violations, runs: shrinkRuns)
    shrinker.shrink { left, smallest in
      progress.show(
        "shrinking: \(smallest.nodes.count) nodes, \(smallest.timeline.count) events, "
          + "\(smallest.durationMilliseconds / 1000) s; \(left) runs left")
    }
    progress.clear()
    let path = "\(failures)/seed-\(scenario.seed).yaml"
    try FileManager.default.createDirectory(
      atPath: failures, withIntermediateDirectories: true)
    try shrinker.smallest.yaml.write(toFile: path, atomically: true, encoding: .utf8)
    Standard.error.write(
      "    shrunk to \(path)\n    replay: muster-sim run \(path) --seed \(scenario.seed)\n")
  }
}

/// The result of a swarm.
struct SwarmTally {
  private var processSeconds: [Double] = []
  private var nodeSeconds = 0.0
  private var writes = 0
  private var knobs: [Knob: Int] = [:]
  private var differences: [UInt64] = []
  private(set) var failed = 0

  mutating func add(_ result: RunResult, processSeconds: Double) {
    self.processSeconds.append(processSeconds)
    nodeSeconds += result.simulatedSeconds * Double(result.nodes)
    writes += result.acknowledgedWrites
    knobs.merge(result.knobs, uniquingKeysWith: +)
    if !result.violations.isEmpty { failed += 1 }
  }

  mutating func addDifference(_ seed: UInt64) { differences.append(seed) }

  var isClean: Bool { failed == 0 && differences.isEmpty && unfired.isEmpty }

  /// Faults that were configured and never occurred; not significant for a few seeds.
  private var unfired: [Knob] {
    processSeconds.count < 100 ? [] : knobs.filter { $0.value == 0 }.keys.sorted()
  }

  func text(twice: Bool) -> String {
    let sorted = processSeconds.sorted()
    let total = sorted.reduce(0, +)
    let (median, most) = (sorted[sorted.count / 2], sorted[sorted.count - 1])
    let speed = ResultTable.grouped(Int(nodeSeconds / max(0.001, total)))
    let faults = knobs.sorted { $0.key < $1.key }.map { knob, count in
      "\(knob.rawValue) \(ResultTable.grouped(count))"
    }
    var lines: [String] = [
      "  \(sorted.count) seeds, \(failed) failed",
      "  \(ResultTable.grouped(writes)) acknowledged writes, "
        + "\(ResultTable.time(nodeSeconds)) of nodes' time",
      "  \(ResultTable.tenths(total)) s of a processor: \(ResultTable.tenths(median)) s a seed "
        + "at the median, \(ResultTable.tenths(most)) s at most, \(speed) node-seconds a second",
      "  faults: " + faults.joined(separator: ", "),
    ]
    if twice {
      let same = sorted.count - differences.count
      lines.append("  \(same) of \(sorted.count) seeds gave the same trace hash twice")
    }
    if !unfired.isEmpty {
      lines.append("  never happened: \(unfired.map(\.rawValue).joined(separator: ", "))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
