import ArgumentParser
import MusterAttackers
import MusterModel
import MusterReplica

/// What a member's forks cost others (row I7 of the threat model's volumes).
struct ForkBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forks",
    abstract: "A member forks its log at ever lower places; the cost at a node with much data.",
    discussion: "Processor time of the receiver, whose database is on disk, beside 5 % of the "
      + "time that the forks take to arrive, one after the other, over a network without delay.")

  private static let limitShare = 0.05

  @Option(help: "How many operations (writes of one field) the node holds.")
  var operations = 1_000_000

  @Option(help: "How many forks it receives.")
  var forks = 1000

  func validate() throws {
    guard forks >= Limits.branchesPerLog else {
      throw ValidationError("up to \(Limits.branchesPerLog) branches count: choose more forks")
    }
  }

  func run() throws {
    try withScratchFolder { folder in
      var mesh = try Mesh(seed: 11, founderAt: folder + "/bench.sqlite")
      progress("forks: writing \(operations) operations")
      let reports = operations / Workload.operationsPerReport
      try mesh.addReports(reports, burst: 50)
      try mesh.join(at: nil, callsign: "Mallory", role: .member)
      try mesh.synchronise(0, 1)
      let log = try mesh.at(1) { try ForkedLog.write(length: forks + 1, in: &$0, now: $1) }
      guard let log else { throw ValidationError("Mallory has no epoch to write under") }
      try mesh.synchronise(0, 1)
      let (busy, began) = (mesh.busy[0].processorSeconds, mesh.clock.instant)
      for sequence in (2...forks + 1).reversed() {
        _ = try mesh.at(1) { try log.fork(at: sequence, in: &$0, now: $1) }
        try mesh.synchronise(0, 1)
        if sequence % 100 == 0 { progress("forks: at sequence \(sequence)") }
      }
      let spent = mesh.busy[0].processorSeconds - busy
      let taken = Double(mesh.clock.instant.milliseconds(since: began)) / 1000
      let rebuilds = try mesh.at(0) { replica, now in
        try check(&replica, reports: reports, now: now)
        return replica.viewRebuilds
      }
      try Measurement(
        bench: "forks", value: spent * 1000, unit: "ms", limit: taken * 1000 * Self.limitShare,
        note: "\(forks) forks of one log, each below the last, on top of \(operations) "
          + "operations: \(spent * 1000 / Double(forks)) ms each, arriving in \(taken) s; the view "
          + "was rebuilt \(rebuilds) times and is right"
      ).print()
    }
  }

  /// What Mallory wrote before the lowest fork counts, and what others wrote is unharmed.
  private func check(_ replica: inout Replica, reports: Int, now: ClockReading) throws {
    let teams = try replica.statuses(now: now).users().map(\.team)
    guard teams.contains(ForkedLog.team(1)) else {
      throw ValidationError("the teams are \(teams), and none is \(ForkedLog.team(1))")
    }
    let held = try replica.queries.reports().count
    guard held == reports else { throw ValidationError("\(held) of \(reports) reports are left") }
  }
}
