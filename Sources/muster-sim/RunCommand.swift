import ArgumentParser
import Foundation
import MusterSimulator

/// Runs one scenario file.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Plays a scenario; fails when a promise does not hold.")

  @Argument(help: "A scenario file; simulations/ has examples and the schema.")
  var file: String

  @Option(help: "Of all choices; the scenario's own where none is given.")
  var seed: UInt64?

  @Flag(help: "Prints one JSON document.")
  var json = false

  @Option(help: "Writes a page to look at: one HTML file that needs nothing else.")
  var report: String?

  func run() throws {
    let scenario: Scenario
    do {
      scenario = try Scenario(file: file)
    } catch {
      throw Refusal(error.description)
    }
    let seed = seed ?? scenario.seed
    let replay = "muster-sim run \(file) --seed \(seed)"
    FatalSignals.announce(replay: replay)
    let progress = ProgressLine(isShown: !json)
    let stopwatch = Stopwatch()
    let world = try World(scenario, seed: seed)
    world.onProgress = { progress.show($0) }
    if report != nil { world.recording = Recording() }
    let result = try world.run()
    progress.clear()
    if let report { try write(ReportPage(world, result), to: report) }
    let seconds = stopwatch.wallSeconds
    if json {
      Standard.output.write(result.json(wallSeconds: seconds))
    } else {
      Standard.output.write(
        ResultTable(result, wallSeconds: seconds, processSeconds: stopwatch.processSeconds).text)
    }
    guard result.violations.isEmpty else { throw Refusal("replay: \(replay)") }
  }

  private func write(_ page: ReportPage, to path: String) throws {
    do {
      try Data(page.html.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw Refusal("cannot write \(path): \(error.localizedDescription)")
    }
  }
}
