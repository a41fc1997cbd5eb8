import ArgumentParser
import Foundation
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
      Prints operations per second at the receiver, whose database is on disk with \
      synchronous=FULL, beside the rate of one Ed25519 verification per operation.
      """)

  @Option(help: "How many operations (writes of one field) the author has.")
  var operations = 100_000

  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "muster-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do {
        try FileManager.default.removeItem(at: folder)
      } catch {
        print("left \(folder.path) behind: \(error)")
      }
    }
    var mesh = try Mesh(seed: 1, founderStore: .inMemory())
    let reports = max(1, operations / Self.operationsPerReport)
    let (_, writing) = try timed {
      for index in 0..<reports { try mesh.addReport(Self.draft(index), at: 0) }
    }
    try mesh.join(store: .open(path: folder.path + "/bench.sqlite"), callsign: "Ben")
    let (_, seconds) = try timed { try mesh.synchronise(0, 1) }
    let written = Double(reports * Self.operationsPerReport)
    let verification = Self.verificationsPerSecond()
    try Measurement(
      bench: "ingest", value: written / mesh.busySeconds[1], unit: "operations/s",
      limit: verification,
      note: "receiver's own time, verified, durable, applied; limit: one Ed25519 verification "
        + "per operation in this run"
    ).print()
    try Measurement(
      bench: "ingest-both", value: written / seconds, unit: "operations/s", limit: verification,
      note: "sender and receiver in turn on one core"
    ).print()
    try Measurement(
      bench: "ingest-frames", value: Double(reports) / mesh.busySeconds[1], unit: "frames/s",
      note: "\(mesh.datagrams) datagrams, \(mesh.bytes) bytes with UDP/IP headers"
    ).print()
    try Measurement(
      bench: "write", value: Double(reports) / writing, unit: "reports/s",
      note: "local reports of \(Self.operationsPerReport) operations, sealed, signed, in memory"
    ).print()
  }

  /// Existence, title, description, category, severity, position and status.
  private static let operationsPerReport = 7

  private static func draft(_ index: Int) -> ReportDraft {
    ReportDraft(
      title: "Report \(index)", details: "Water over the road", category: .flood, severity: 3,
      position: Coordinate(latitudeE7: 404_000_000 + Int64(index % 100_000), longitudeE7: 0))
  }

  private static func verificationsPerSecond() -> Double {
    var random = DeterministicRandom(seed: [UInt8](repeating: 7, count: 32))
    let key = random.signingKey()
    let message = random.bytes(64)
    let signature = key.sign(message)
    let count = 5000
    let (_, seconds) = timed {
      for _ in 0..<count where !key.publicKey.isValid(signature, for: message) {
        preconditionFailure("a signature just made does not hold")
      }
    }
    return Double(count) / seconds
  }
}
