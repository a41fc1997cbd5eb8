import ArgumentParser
import Foundation
import MusterSimulator

/// Cuts the power, fails and fills a replica's disk at point after point.
struct CrashPointsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crashpoints",
    abstract: "Cuts the power, fails and fills a replica's disk at point after point.",
    discussion: """
      Two replicas write, move and sync; one of them on a disk in memory. At each point the same \
      story is played with one fault more, and afterwards all that was acknowledged must be there. \
      Exits with 1 when something is not as it must be.
      """)

  @Option(help: "How many points for each kind of fault, spread evenly over the story.")
  var points = 1000

  @Option(help: "What else but the point decides the story.")
  var seed: UInt64 = 1

  @Option(help: "Only the kinds whose name contains this.")
  var only = ""

  func validate() throws {
    guard (1...1_000_000).contains(points) else {
      throw ValidationError("--points takes 1 to 1000000")
    }
  }

  func run() throws {
    let trials = try DiskTrials(seed: seed)
    write("the story changes its disk \(trials.changes) times; seed \(seed)\n\n")
    write(line("fault", "points", "happened", "acknowledged", "failed calls", "wrong"))
    var violations: [String] = []
    for damage in SimulatedDisk.Damage.allCases where isChosen("power cut, \(damage.rawValue)") {
      violations += show(
        try trials.cutPower(points: points, damage: damage, progress: progress))
    }
    for fault in DiskTrials.Fault.allCases where isChosen(fault.rawValue) {
      violations += show(try trials.fail(fault, points: points, progress: progress))
    }
    for violation in violations.prefix(20) { write("\n\(violation)") }
    guard violations.isEmpty else {
      write("\nreplay: muster-sim crashpoints --points \(points) --seed \(seed)\n")
      throw ExitCode.failure
    }
  }

  private func isChosen(_ name: String) -> Bool { only.isEmpty || name.contains(only) }

  private func show(_ row: DiskTrials.Row) -> [String] {
    if isTerminal { write("\r\u{1B}[K") }
    write(
      line(
        row.name, "\(row.trials)", "\(row.fired)", "\(row.acknowledged)", "\(row.failures)",
        "\(row.violations.count)"))
    return row.violations
  }

  private var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  private func progress(_ trials: Int) {
    guard isTerminal, trials % 10 == 0 else { return }
    write("\r\(trials) of \(points)")
  }

  private func line(_ name: String, _ columns: String...) -> String {
    let cells = columns.map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }
    return name.padding(toLength: 32, withPad: " ", startingAt: 0) + cells.joined() + "\n"
  }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
