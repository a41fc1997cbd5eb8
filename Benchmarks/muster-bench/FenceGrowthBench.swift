import ArgumentParser
import Foundation
import MusterGeo
import MusterModel

/// What a position costs among more and more fences.
///
/// As many fences on each square kilometre whatever their number, so that a position lies in as
/// many of them and crosses as many edges: what grows is what there is to search. With
/// `--one-ground` all lie on the same ground, so that more and smaller ones are crossed more often.
struct FenceGrowthBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fence-growth",
    abstract: "Nanoseconds for a position among 100 to 100,000 fences, in each size beside the log."
  )

  @Option(help: "Positions to draw for each size.")
  var positions = 1_000_000

  @Option(help: "Devices to draw.")
  var devices = 1000

  @Option var rounds = 9

  @Flag(name: .customLong("one-ground"), help: "The same 200 km whatever the number of fences.")
  var isOnOneGround = false

  private static let sizes = [100, 1000, 10_000, 100_000]
  /// Metres for a fence: that of the usual 10,000 on a square of 200 km.
  private static let cell = 2000.0

  func run() throws {
    let grounds = Self.sizes.map { size in
      progress("fence-growth: \(size) fences")
      let metres = isOnOneGround ? 200_000 : Self.cell * Double(size).squareRoot()
      return Ground(fences: size, metres: metres, devices: devices, positions: positions)
    }
    // All sizes in every round: what else the machine does slows them alike.
    var costs = [[Double]](repeating: [], count: grounds.count)
    for round in 0..<max(1, rounds) {
      progress("fence-growth: round \(round + 1)")
      for (place, ground) in grounds.enumerated() { costs[place].append(ground.cost()) }
    }
    for (ground, own) in zip(grounds, costs) {
      // What the first size costs, times the logarithms' ratio.
      let growth = log(Double(ground.fences)) / log(Double(grounds[0].fences))
      try Measurement(
        bench: "fence-growth", value: own.median, unit: "ns/position",
        limit: costs[0].median * growth,
        note: ground.note + "; limit: the first times the ratio of the logarithms"
      ).print()
    }
  }
}

/// So many fences, and positions among them.
private struct Ground {
  let fences: Int
  private let workload: GeofenceWorkload
  private let index: FenceIndex
  /// What it is, in words.
  let note: String

  init(fences: Int, metres: Double, devices: Int, positions: Int) {
    self.fences = fences
    workload = GeofenceWorkload(
      fences: fences, devices: devices, positions: positions, ground: metres, seed: 1)
    let watched = workload.underWatch()
    let before = Memory.residentMebibytes ?? 0
    let (index, building) = timed { FenceIndex(watched) }
    let memory = (Memory.residentMebibytes ?? 0) - before
    self.index = index
    let transitions = Self.decide(workload, among: index)
    note =
      "\(fences) fences on \(Int(metres / 1000)) km, \(transitions) transitions; index "
      + "\(Int(building.processorSeconds * 1000)) ms, \(Int(memory)) MiB"
  }

  /// Nanoseconds for one position, of all of them decided once.
  func cost() -> Double {
    let (_, elapsed) = timed { Self.decide(workload, among: index) }
    return elapsed.processorSeconds * 1e9 / Double(workload.samples.count)
  }

  private static func decide(_ workload: GeofenceWorkload, among index: FenceIndex) -> Int {
    var detectors = [CrossingDetector](repeating: CrossingDetector(), count: workload.devices)
    var transitions = 0
    for sample in workload.samples {
      transitions += detectors[sample.device].observe(sample.fix, fences: index).count
    }
    return transitions
  }
}
