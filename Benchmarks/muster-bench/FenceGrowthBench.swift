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

  @Option var rounds = 5

  @Flag(name: .customLong("one-ground"), help: "The same 200 km whatever the number of fences.")
  var isOnOneGround = false

  private static let sizes = [100, 1000, 10_000, 100_000]
  /// Metres for a fence: that of the usual 10,000 on a square of 200 km.
  private static let cell = 2000.0

  func run() throws {
    var least: Double?
    for size in Self.sizes {
      progress("fence-growth: \(size) fences")
      let ground = isOnOneGround ? 200_000 : Self.cell * Double(size).squareRoot()
      let workload = GeofenceWorkload(
        fences: size, devices: devices, positions: positions, ground: ground, seed: 1)
      let watched = workload.underWatch()
      let before = Memory.residentMebibytes ?? 0
      let (index, building) = timed { FenceIndex(watched) }
      let memory = (Memory.residentMebibytes ?? 0) - before
      var (costs, transitions): ([Double], Int) = ([], 0)
      for _ in 0..<max(1, rounds) {
        let (found, elapsed) = timed { Self.decide(workload, among: index) }
        costs.append(elapsed.processorSeconds * 1e9 / Double(workload.samples.count))
        transitions = found
      }
      let cost = costs.median
      let first = least ?? cost
      least = first
      // What the first size costs, times the logarithms' ratio.
      let bound = first * log(Double(size)) / log(Double(Self.sizes[0]))
      try Measurement(
        bench: "fence-growth", value: cost, unit: "ns/position", limit: bound,
        note: "\(size) fences on \(Int(ground / 1000)) km, \(transitions) transitions; index "
          + "\(Int(building.processorSeconds * 1000)) ms, \(Int(memory)) MiB; limit: the first "
          + "times the ratio of the logarithms"
      ).print()
    }
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
