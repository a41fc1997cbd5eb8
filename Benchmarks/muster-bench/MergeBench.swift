import ArgumentParser
import Foundation
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// Two replicas that were apart, each with updates of its own to the same rows.
struct MergeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Two replicas on disk take over each other's concurrent field updates.",
    discussion: """
      Each side updates fields of shared reports, drawn at random, with texts of 24 characters, \
      and then both come in step. Beside it runs loro, in Python (pip install loro), on updates \
      of the same number, size and fields; it neither signs nor encrypts nor keeps anything on \
      disk. Medians.
      """)

  @Option(help: "Field updates on each side.")
  var updates = 100_000

  @Option(help: "Reports that both share; each has two fields that are updated.")
  var records = 8000

  @Option(help: "Updates that a side makes at once.")
  var burst = 100

  @Option(help: "Rounds, ours and the peer's in turn.")
  var rounds = 5

  /// What cr-sqlite took for 100,000 updates on each side where it could be had.
  private static let crsqliteSeconds = 6.2

  func run() throws {
    var results: [MergeResult] = []
    var peers: [MergeResult] = []
    for round in 1...max(1, rounds) {
      progress("merge: round \(round) of \(rounds)")
      results.append(try MergeResult(json: child(["--updates", "\(updates)"])))
      if let peer = try LoroPeer.run(updates: updates, records: records) { peers.append(peer) }
    }
    let ours = MergeResult(medianOf: results)
    let loro = peers.isEmpty ? nil : MergeResult(medianOf: peers)
    let missing = loro == nil ? "; loro is not installed, so there is no limit" : ""
    try Measurement(
      bench: "merge", value: ours.seconds, unit: "s", limit: Self.crsqliteSeconds,
      note: "\(updates) updates on each side, both in step, on disk; processor time, by the clock "
        + "\(ours.wallSeconds) s; limit: cr-sqlite for 100,000, measured once elsewhere; loro "
        + "(signs nothing, in memory): \(loro?.seconds ?? 0) s"
    ).print()
    try Measurement(
      bench: "merge-bytes", value: ours.bytes, unit: "bytes", limit: loro?.bytes,
      note: "both ways, with 28 bytes of headers a datagram; limit: loro's, without any" + missing
    ).print()
    try Measurement(
      bench: "merge-memory", value: ours.peakMebibytes, unit: "MiB", limit: loro?.peakMebibytes,
      note: "peak, both replicas in one process; limit: loro's, in Python" + missing
    ).print()
  }

  /// Each round in a process of its own, so that its peak of memory is its own.
  private func child(_ arguments: [String]) throws -> Data {
    try output(
      of: CommandLine.arguments[0],
      ["merge-round", "--records", "\(records)", "--burst", "\(burst)"] + arguments)
  }
}

/// One round of `merge`.
struct MergeRound: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge-round", abstract: "One round of `merge`.", shouldDisplay: false)

  @Option var updates: Int
  @Option var records: Int
  @Option var burst: Int

  func run() throws {
    try withScratchFolder { folder in
      var mesh = try Mesh(seed: 2, founderAt: folder + "/a.sqlite")
      try mesh.join(at: folder + "/b.sqlite", callsign: "Ben", role: .command)
      let reports = try mesh.addBlankReports(records)
      try mesh.synchronise(0, 1)
      try mesh.settle(0, 1)
      for side in 0...1 {
        try mesh.update(reports, times: updates, burst: burst, at: side)
      }
      mesh.resetTraffic()
      let (_, elapsed) = try timed { try mesh.synchronise(0, 1) }
      progress("merge: \(mesh.traffic.datagrams) datagrams in \(mesh.traffic.crossings) crossings")
      guard try mesh.haveEqualStates(0, 1) else { throw BenchFault("the two do not agree") }
      let result = MergeResult(
        seconds: elapsed.processorSeconds, wallSeconds: elapsed.wallSeconds,
        bytes: Double(mesh.traffic.bytes), peakMebibytes: Memory.peakMebibytes ?? 0)
      try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(result))
    }
  }
}

struct MergeResult: Codable {
  var seconds: Double
  var wallSeconds: Double
  var bytes: Double
  var peakMebibytes: Double
}

extension MergeResult {
  init(json: Data) throws { self = try JSONDecoder().decode(MergeResult.self, from: json) }

  init(medianOf results: [MergeResult]) {
    self.init(
      seconds: results.map(\.seconds).median, wallSeconds: results.map(\.wallSeconds).median,
      bytes: results.map(\.bytes).median, peakMebibytes: results.map(\.peakMebibytes).median)
  }
}

extension Mesh {
  /// The founder's reports, which others are still to learn of.
  mutating func addBlankReports(_ count: Int) throws -> [RowID] {
    var reports: [RowID] = []
    for first in stride(from: 0, to: count, by: 50) {
      try gather(at: 0) { replica, now in
        for index in first..<min(count, first + 50) {
          reports.append(
            try replica.write(ReportRequests.add(Workload.blank(index)), now: now).answer)
        }
      }
    }
    return reports
  }

  /// Updates one of two fields of a report, both drawn at random, again and again.
  mutating func update(_ reports: [RowID], times: Int, burst: Int, at index: Int) throws {
    var random = DeterministicRandom(seed: [UInt8](repeating: UInt8(index + 1), count: 32))
    for first in stride(from: 0, to: times, by: burst) {
      try gather(at: index) { replica, now in
        for _ in first..<min(times, first + burst) {
          let report = reports[Int(random.uint64() % UInt64(reports.count))]
          let change = Workload.change(random.uint64(), isTitle: random.uint64() % 2 == 0)
          _ = try replica.write(ReportRequests.edit(report, change), now: now)
        }
      }
    }
  }

  mutating func haveEqualStates(_ left: Int, _ right: Int) throws -> Bool {
    let states = try [left, right].map { index in
      try at(index) { try $0.status(now: $1).stateHash }
    }
    return states[0] == states[1]
  }
}
