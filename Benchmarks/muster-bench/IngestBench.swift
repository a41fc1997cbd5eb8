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

  func run() throws {
    try catchUp(operations: operations, burst: burst, name: "ingest")
    try catchUp(operations: operations / 5, burst: 1, name: "ingest-single")
  }

  private func catchUp(operations: Int, burst: Int, name: String) throws {
    let reports = max(1, operations / Workload.operationsPerReport)
    let words = burst == 1 ? "one by one" : "in bursts of \(burst)"
    progress("\(name): writing \(reports) reports \(words)")
    var mesh = try Mesh(seed: 1, founderStore: .inMemory())
    let (_, writing) = try timed { try mesh.addReports(reports, burst: burst) }
    progress("\(name): catching up")
    try withScratchFolder { folder in
      try mesh.join(store: .open(path: folder + "/bench.sqlite"), callsign: "Ben", role: .member)
      let (_, both) = try timed { try mesh.synchronise(0, 1) }
      let written = Double(reports * Workload.operationsPerReport)
      let verification = Self.verificationsPerSecond()
      let receiver = mesh.busy[1]
      let frames = try mesh.replicas[1].framesHeld()
      try Measurement(
        bench: name, value: written / receiver.processorSeconds, unit: "operations/s",
        limit: verification,
        note: "\(Int(written)) operations written \(words), \(frames) frames; receiver's processor "
          + "time, verified, durable, applied; limit: one Ed25519 verification per operation; "
          + "by the clock \(Int(written / receiver.wallSeconds))/s; sender and receiver on one "
          + "core \(Int(written / both.processorSeconds))/s"
      ).print()
      try Measurement(
        bench: name + "-frames", value: Double(frames) / receiver.processorSeconds,
        unit: "frames/s",
        note: "\(mesh.traffic.datagrams) datagrams, \(mesh.traffic.bytes) bytes with UDP/IP headers"
      ).print()
    }
    try Measurement(
      bench: name + "-write", value: Double(reports) / writing.processorSeconds,
      unit: "reports/s",
      note: "local reports of \(Workload.operationsPerReport) operations \(words), sealed, signed, "
        + "in memory"
    ).print()
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
