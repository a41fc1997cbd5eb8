import ArgumentParser
import Foundation
import MusterSimulator

#if Canary
  import MusterModel
#endif

/// Tests the simulator: every planted bug must be caught.
struct CanaryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "canary",
    abstract: "Plants bugs in the product, one at a time, and looks for a seed that catches each.",
    discussion: """
      Only a build with planted bugs can: swift build -c release --traits Canary \
      --scratch-path .build/canary --product muster-sim. The seeds that catch them are kept in \
      simulations/canary/seeds.yml.
      """)

  @Option(help: "Only this bug; may be given more than once.")
  var bug: [String] = []

  @Option(help: "At most so many for each bug.")
  var seeds: UInt64 = 500

  @Option(help: "The first of them.")
  var first: UInt64 = 1

  @Flag(help: "Plays only the seeds that are recorded; fails where one catches nothing any more.")
  var replay = false

  @Option(help: "Where the seeds are recorded.")
  var record = "simulations/canary/seeds.yml"

  @Flag(help: .hidden)
  var alone = false

  @Flag(help: .hidden)
  var healthy = false

  func run() throws {
    #if Canary
      let canaries = try chosen()
      guard alone, let canary = canaries.first else { return try hunt(canaries) }
      try CanaryTarget(canary).hunt(seeds: first..<first + seeds, isPlanted: !healthy)
    #else
      throw Refusal("this build has no planted bugs: see muster-sim help canary")
    #endif
  }
}

#if Canary
  extension CanaryCommand {
    private func chosen() throws -> [Canary] {
      guard !bug.isEmpty else { return Canary.allCases }
      return try bug.map { name in
        guard let canary = Canary(rawValue: name) else {
          let known = Canary.allCases.map(\.rawValue).joined(separator: ", ")
          throw Refusal("no bug is called '\(name)'; there are: \(known)")
        }
        return canary
      }
    }

    private func hunt(_ canaries: [Canary]) throws {
      Standard.error.write("\(Canary.marker)\n")
      var ledger = CanaryLedger()
      if FileManager.default.fileExists(atPath: record) {
        do { ledger = try CanaryLedger(file: record) } catch { throw Refusal("\(error)") }
      }
      var escaped: [String] = []
      for canary in canaries {
        guard let caught = try hunt(canary, known: ledger.entries[canary]) else {
          escaped.append(canary.rawValue)
          continue
        }
        guard !replay else { continue }
        ledger.entries[canary] = CanaryLedger.Entry(seed: caught.seed, promise: caught.promise)
        try ledger.yaml.write(toFile: record, atomically: true, encoding: .utf8)
      }
      Standard.output.write(
        "\(canaries.count - escaped.count) of \(canaries.count) planted bugs caught\n")
      guard escaped.isEmpty else {
        throw Refusal("not caught: \(escaped.joined(separator: ", "))")
      }
    }

    private func hunt(
      _ canary: Canary, known: CanaryLedger.Entry?
    ) throws -> CanaryTarget.Caught? {
      var seeds = first..<first + seeds
      if replay {
        guard let known else {
          Standard.output.write("✗ \(canary.rawValue): no seed is recorded\n")
          return nil
        }
        seeds = known.seed..<known.seed + 1
      }
      let stopwatch = ContinuousClock.now
      let caught = try CanaryTarget(canary).huntApart(seeds: seeds, isPlanted: true)
      let seconds = (ContinuousClock.now - stopwatch) / .seconds(1)
      Standard.output.write(line(canary, caught, seeds: seeds, seconds: seconds))
      if let caught { try requireHealth(without: canary, caught.seed) }
      return caught
    }

    /// A seed that breaks a promise all by itself has caught nothing.
    private func requireHealth(without canary: Canary, _ seed: UInt64) throws {
      let other = try CanaryTarget(canary).huntApart(seeds: seed..<seed + 1, isPlanted: false)
      guard let other else { return }
      throw Refusal("seed \(seed) fails without a bug too: \(other.promise) — \(other.detail)")
    }

    private func line(
      _ canary: Canary, _ caught: CanaryTarget.Caught?, seeds: Range<UInt64>, seconds: Double
    ) -> String {
      let name = canary.rawValue.padding(toLength: 22, withPad: " ", startingAt: 0)
      let time = ResultTable.tenths(seconds) + " s"
      guard let caught else {
        return "✗ \(name) \(canary.harm): not caught in \(seeds.count) seeds, \(time)\n"
      }
      let place = CanaryHunt(canary).ground
      return """
        ✓ \(name) \(canary.harm)
          seed \(caught.seed) of \(place), \(caught.seed - seeds.lowerBound + 1) played, \(time): \
        \(caught.promise) — \(caught.detail)

        """
    }
  }
#endif
