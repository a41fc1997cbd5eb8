import ArgumentParser
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// Catching up with one author: frames received, verified, durable and applied.
struct IngestBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "A device catches up with another's operations.",
    discussion: """
      Prints operations per second of processor time at the receiver, whose database is on disk \
      with synchronous=FULL, beside the rate of one Ed25519 verification per operation: for \
      reports that were written in bursts, which share frames, and one by one.
      """)

  @Option(help: "How many operations (writes of one field) the author has.")
  var operations = 1_000_000

  @Option(help: "How many reports of seven operations the author writes at once.")
  var burst = 50

  @Option(help: "Devices that catch up, one after the other; medians of them.")
  var rounds = 5

  func run() throws {
    try catchUp(operations: operations, burst: burst, name: "ingest")
    try catchUp(operations: operations / 5, burst: 1, name: "ingest-single")
  }

  /// What one device did.
  private struct Round {
    var processorRate: Double
    var clockRate: Double
    /// Of sender and receiver together.
    var bothRate: Double
    var verificationRate: Double
    var frames: Int
    var traffic: Mesh.Traffic
  }

  private func catchUp(operations: Int, burst: Int, name: String) throws {
    let reports = max(1, operations / Workload.operationsPerReport)
    let words = burst == 1 ? "one by one" : "in bursts of \(burst)"
    progress("\(name): writing \(reports) reports \(words)")
    var mesh = try Mesh(seed: 1, founderAt: nil)
    let (_, writing) = try timed { try mesh.addReports(reports, burst: burst) }
    let written = Double(reports * Workload.operationsPerReport)
    var results: [Round] = []
    for round in 1...max(1, rounds) {
      progress("\(name): catching up, round \(round) of \(rounds)")
      results.append(try catchUp(with: &mesh, device: round, operations: written))
    }
    let rate = results.map(\.processorRate).median
    let frames = Double(results[0].frames)
    try Measurement(
      bench: name, value: rate, unit: "operations/s",
      limit: results.map(\.verificationRate).median,
      note: "\(Int(written)) operations written \(words), \(Int(frames)) frames; receiver's "
        + "processor time, verified, durable, applied; limit: one Ed25519 verification per "
        + "operation; by the clock \(Int(results.map(\.clockRate).median))/s; sender and receiver "
        + "on one core \(Int(results.map(\.bothRate).median))/s; medians of \(results.count)"
    ).print()
    try Measurement(
      bench: name + "-frames", value: rate * frames / written, unit: "frames/s",
      note: "\(results[0].traffic.datagrams) datagrams, \(results[0].traffic.bytes) bytes with "
        + "UDP/IP headers"
    ).print()
    try Measurement(
      bench: name + "-write", value: Double(reports) / writing.processorSeconds,
      unit: "reports/s",
      note: "local reports of \(Workload.operationsPerReport) operations \(words), sealed, signed, "
        + "in memory"
    ).print()
  }

  /// A device joins and takes over everything the founder has.
  private func catchUp(
    with mesh: inout Mesh, device: Int, operations: Double
  ) throws -> Round {
    try withScratchFolder { folder in
      try mesh.join(
        at: folder + "/bench.sqlite", callsign: "Ben \(device)", role: .member)
      mesh.resetTraffic()
      let (_, both) = try timed { try mesh.synchronise(0, device) }
      let receiver = mesh.busy[device]
      return Round(
        processorRate: operations / receiver.processorSeconds,
        clockRate: operations / receiver.wallSeconds,
        bothRate: operations / both.processorSeconds,
        verificationRate: Self.verificationsPerSecond(),
        frames: try mesh.replicas[device].queries.framesHeld(), traffic: mesh.traffic)
    }
  }

  private static func verificationsPerSecond() -> Double {
    var random = DeterministicRandom(seed: [UInt8](repeating: 7, count: 32))
    let key = random.signingKey()
    let message = random.bytes(64)
    let signature = key.sign(message)
    let count = 5000
    let (_, elapsed) = timed {
      for _ in 0..<count where !key.publicKey.isValid(signature, for: message) {
        preconditionFailure("a signature just made does not hold")
      }
    }
    return Double(count) / elapsed.processorSeconds
  }
}
