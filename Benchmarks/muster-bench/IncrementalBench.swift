import ArgumentParser
import MusterCrypto
import MusterModel
import MusterReplica
import MusterStore

/// What little news costs between two replicas that share much.
struct IncrementalBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "incremental",
    abstract: "Two replicas share much; each has five new updates.")

  @Option(help: "Operations that both share.")
  var operations = 100_000

  @Option(help: "Operations that each side has besides.")
  var new = 5

  func run() throws {
    progress("incremental: making \(operations) operations")
    var mesh = try Mesh(seed: 3, founderAt: nil)
    try mesh.join(at: nil, callsign: "Ben", role: .command)
    let reports = try mesh.addBlankReports(operations / 5)
    try mesh.synchronise(0, 1)
    try measure(&mesh, "incremental", reports.prefix(new), isBurst: true)
    try measure(&mesh, "incremental-single", reports.suffix(new), isBurst: false)
  }

  /// From the writes until the partition heals: nothing is in flight any more.
  private static let apartMilliseconds: Int64 = 1000

  private func measure(
    _ mesh: inout Mesh, _ name: String, _ reports: some Sequence<RowID>, isBurst: Bool
  ) throws {
    try mesh.settle(0, 1)
    mesh.resetTraffic()
    for side in 0...1 { try mesh.confirm(reports, isBurst: isBurst, at: side) }
    try mesh.pass(milliseconds: Self.apartMilliseconds)
    try mesh.synchronise(0, 1)
    guard try mesh.haveEqualStates(0, 1) else { throw BenchFault("the two do not agree") }
    let traffic = mesh.traffic
    let words = isBurst ? "at once" : "one by one"
    try Measurement(
      bench: name, value: Double(traffic.bytes), unit: "bytes", limit: 1670,
      note: "\(new) confirmations written \(words) on each side during a partition, "
        + "over \(operations) shared operations; \(traffic.datagrams) datagrams with their headers"
    ).print()
    try Measurement(
      bench: name + "-round-trips", value: Double(traffic.crossings) / 2, unit: "round trips",
      limit: 2, note: "from the first word until both hold everything"
    ).print()
  }
}

extension Mesh {
  /// Confirms each report once: all in one frame, or each in one of its own.
  mutating func confirm(_ reports: some Sequence<RowID>, isBurst: Bool, at index: Int) throws {
    if isBurst {
      try gather(at: index) { replica, now in
        for report in reports { _ = try replica.write(ReportRequests.confirm(report), now: now) }
      }
      return
    }
    for report in reports {
      _ = try at(index) { try $0.write(ReportRequests.confirm(report), now: $1) }
    }
  }
}
