import ArgumentParser

/// What a fix of one person costs the statuses of a large operation.
struct StatusBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Microseconds to assess statuses again after one fix, among 10,000 people.")

  @Option(help: "People in the operation.")
  var people = 10_000

  @Option(help: "Fixes to record, one at a time.")
  var fixes = 5000

  func run() throws {
    progress("status: \(people) people")
    var workload = StatusWorkload(people: people, zones: 50, vertices: 60, orders: 6)
    let (assessed, first) = timed { workload.refresh() }
    var costs: [Double] = []
    for _ in 0..<max(1, fixes) {
      let (_, elapsed) = timed {
        workload.nextFix()
        return workload.refresh()
      }
      costs.append(elapsed.wallSeconds * 1e6)
    }
    let worst = costs.sorted()[costs.count * 999 / 1000]
    try Measurement(
      bench: "status", value: costs.median, unit: "µs/fix", limit: 1000,
      note: "\(assessed) people among 50 zones and 6 orders; 999 of 1000 within "
        + "\(Int(worst)) µs; all of them \(Int(first.processorSeconds * 1000)) ms"
    ).print()
  }
}
