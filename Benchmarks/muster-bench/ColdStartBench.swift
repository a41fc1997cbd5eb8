import ArgumentParser
import Foundation
import MusterModel
import MusterReplica
import MusterStore

/// Opening a large database.
struct ColdStartBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coldstart",
    abstract: "A replica of many operations opens its database, in a process of its own.")

  @Option(help: "Operations in the database.")
  var operations = 1_000_000

  @Option(help: "How many reports of seven operations are written at once, and share frames.")
  var burst = 50

  func run() throws {
    try withScratchFolder { folder in
      let program = CommandLine.arguments[0]
      progress("coldstart: writing \(operations) operations")
      _ = try output(
        of: program,
        [
          "coldstart-write", "--operations", "\(operations)", "--burst", "\(burst)", "--folder",
          folder,
        ])
      progress("coldstart: opening")
      let lines = try output(of: program, ["coldstart-open", "--folder", folder])
      try FileHandle.standardOutput.write(contentsOf: lines)
    }
  }
}

/// Writes the database that `coldstart` opens.
struct ColdStartWrite: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coldstart-write", abstract: "The first half of `coldstart`.",
    shouldDisplay: false)

  @Option var operations: Int
  @Option var burst: Int
  @Option var folder: String

  func run() throws {
    var mesh = try Mesh(seed: 7, founderAt: folder + "/bench.sqlite")
    let reports = operations / Workload.operationsPerReport
    try mesh.addReports(reports, burst: burst)
    let keyFile = try mesh.founder.keyFile(
      passphrase: nil, seed: [UInt8](repeating: 0, count: 32))
    try Data(keyFile).write(to: URL(fileURLWithPath: folder + "/device.key"))
    try mesh.close(0)
  }
}

/// Opens the database that `coldstart-write` made.
struct ColdStartOpen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coldstart-open", abstract: "The second half of `coldstart`.",
    shouldDisplay: false)

  @Option var folder: String
  @Option var bench = "coldstart"

  func run() throws {
    let keyFile = try Data(contentsOf: URL(fileURLWithPath: folder + "/device.key"))
    let credentials = try Credentials(keyFile: [UInt8](keyFile), passphrase: nil)
    let now = ClockReading(
      instant: Instant(microseconds: 0), wall: Timestamp(milliseconds: 1_800_000_000_000),
      boot: 0, entropy: .zero)
    let (replica, elapsed) = try timed {
      let path = folder + "/bench.sqlite"
      let seed = [UInt8](repeating: 8, count: 32)
      if let problem = try ReplicaDatabase.problem(at: path, of: credentials, seed: seed) {
        throw ValidationError("the database is damaged: \(problem)")
      }
      let store = try ReplicaDatabase.open(at: path, of: credentials, seed: seed)
      return try Replica(
        store: store, credentials: credentials, start: .continues,
        seed: seed, systemBoot: [1], now: now)
    }
    let resident = Memory.peakMebibytes ?? 0
    let frames = try replica.queries.framesHeld()
    try Measurement(
      bench: bench, value: elapsed.wallSeconds, unit: "s", limit: 2,
      note: "from checking every page to a replica that answers, by the clock; processor time "
        + "\(elapsed.processorSeconds) s; \(frames) frames"
    ).print()
    try Measurement(
      bench: "\(bench)-memory", value: resident, unit: "MiB", limit: 200,
      note: "peak of the process"
    ).print()
  }
}
