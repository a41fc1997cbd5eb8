import ArgumentParser
import MusterAttackers
import MusterModel
import MusterReplica
import MusterSync

/// What a member's writes without end to one row cost others (row law 6 of decision 0108).
struct RowFloodBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "row-flood",
    abstract: "A member writes to one row without end; the cost at command.",
    discussion: "Processor time of the receiver, whose database is on disk, after four floods of "
      + "one report, in two lanes: confirmations, comments, names of writes that never come, and "
      + "values of a register that supersede nothing.")

  @Option(help: "Writes of each flood.")
  var writes = 10_000

  @Option(help: "Writes of others that are measured.")
  var samples = 100

  func run() throws {
    try withScratchFolder { folder in
      var mesh = try Mesh(seed: 12, founderAt: folder + "/bench.sqlite")
      let report = try mesh.at(0) {
        try $0.write(ReportRequests.add(Workload.report(0)), now: $1).answer
      }
      let other = try mesh.at(0) {
        try $0.write(ReportRequests.add(Workload.report(1)), now: $1).answer
      }
      try mesh.join(at: nil, callsign: "Mallory", role: .member)
      try mesh.synchronise(0, 1)
      let before = mesh.busy[0].processorSeconds
      for flood in Flood.allCases { try send(flood, to: report, in: &mesh) }
      let received = mesh.busy[0].processorSeconds - before
      try measure(report, beside: other, received: received, in: &mesh)
    }
  }

  private func send(_ flood: Flood, to report: RowID, in mesh: inout Mesh) throws {
    for start in stride(from: 0, to: writes, by: 200) {
      let operations = (start..<min(start + 200, writes)).map {
        Operation.write(flood.write($0, to: report))
      }
      _ = try mesh.at(1) {
        try MaliciousMember.author(
          &$0, unchecked: operations, lane: start / 200 % 2 == 0 ? .state : .urgent, now: $1)
      }
      try mesh.synchronise(0, 1)
    }
    progress("row-flood: \(writes) \(flood)")
  }

  private func measure(
    _ report: RowID, beside other: RowID, received: Double, in mesh: inout Mesh
  ) throws {
    let flooded = try comment(on: report, in: &mesh)
    let usual = try comment(on: other, in: &mesh)
    try Measurement(
      bench: "row-flood write", value: flooded * 1000, unit: "ms", limit: 2,
      note: "a comment of others, after \(writes) writes of each of \(Flood.allCases.count) kinds, "
        + "which took \(received) s to receive; on another report it takes \(usual * 1000) ms"
    ).print()
    let list = try mesh.at(0) { replica, _ in
      try timed { try replica.queries.reports() }
    }
    let shown = list.result.first { $0.id == report }
    try Measurement(
      bench: "row-flood list", value: list.elapsed.processorSeconds * 1000, unit: "ms", limit: 50,
      note: "the list of reports; \(shown?.comments.count ?? 0) comments and "
        + "\(shown?.confirmedBy.count ?? 0) confirmations are shown"
    ).print()
    let start = try timed { try mesh.reopen(0) }.elapsed.processorSeconds
    try Measurement(
      bench: "row-flood start", value: start * 1000, unit: "ms", limit: 1000,
      note: "the node opens its database again"
    ).print()
    let device = mesh.device(1)
    let revoked = try mesh.at(0) { replica, now in
      try timed { _ = try replica.revoke(device, now: now) }
    }
    try Measurement(
      bench: "row-flood revoke", value: revoked.elapsed.processorSeconds * 1000, unit: "ms",
      limit: 2000, note: "the member is revoked"
    ).print()
  }

  /// The median processor time of a comment.
  private func comment(on report: RowID, in mesh: inout Mesh) throws -> Double {
    var times: [Double] = []
    for number in 0..<max(1, samples) {
      times.append(
        try timed {
          _ = try mesh.at(0) {
            try $0.write(ReportRequests.comment(report, text: "comment \(number)"), now: $1)
          }
        }.elapsed.processorSeconds)
    }
    return times.median
  }
}

/// Writes of which there is no end.
private enum Flood: String, CaseIterable, CustomStringConvertible {
  case confirmations
  case comments
  case unknownNames = "names of writes that never come"
  case values = "values that supersede nothing"
  case absentRows = "writes to a row that was not created"

  var description: String { rawValue }

  func write(_ number: Int, to report: RowID) -> Write {
    switch self {
    case .confirmations:
      Write(
        row: report, field: .reportContentConfirmations,
        value: .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32)))
    case .comments:
      Write(row: report, field: .reportComments, value: .text("comment \(number) of a flood"))
    case .unknownNames:
      Write(
        row: report, field: .reportComments, value: nil,
        supersedes: (0..<8).map {
          Dot(frame: Bytes16(high: 9, low: UInt64(number)), index: UInt16($0))
        })
    case .values:
      Write(row: report, field: .reportConfirmations, value: .mark)
    case .absentRows:
      Write(
        row: RowID(raw: Bytes16(high: 5, low: 5)), field: .reportComments,
        value: .text("comment \(number)"))
    }
  }
}
