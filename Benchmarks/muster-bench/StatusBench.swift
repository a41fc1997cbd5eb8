import ArgumentParser
import MusterModel
import MusterReplica

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

/// The same in a whole node: the fix is stored, and what the node keeps of statuses follows.
struct NodeStatusBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "node-status",
    abstract: "Microseconds of a replica to assess statuses again after one fix, of 10,000 people.")

  @Option(help: "People in the operation.")
  var people = 10_000

  @Option(help: "Fixes to record, one at a time.")
  var fixes = 2000

  func run() throws {
    progress("node-status: \(people) people")
    var mesh = try Mesh(seed: 22, founderAt: nil)
    let trackers = 20
    for number in 0..<max(0, people - trackers - 1) {
      try mesh.admit(callsign: "Person \(number)", role: .member)
    }
    let circle = FenceGeometry.circle(center: try Self.place(0), radiusCentimetres: 20_000)
    try mesh.at(0) { replica, now in
      _ = try replica.write(
        FenceRequests.add(FenceDraft(name: "Fire", kind: .hazard, geometry: circle)), now: now)
      _ = try replica.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: now)
    }
    let (listed, all) = try timed { try mesh.at(0) { try $0.statuses(now: $1).users().count } }
    var costs: [Double] = []
    for number in 0..<fixes {
      try mesh.pass(milliseconds: 50)
      let fix = Fix(
        position: try Self.place(number), accuracyDecimetres: 50, sampleTime: mesh.clock.wall)
      try mesh.at(0) { replica, now in
        _ = try replica.ingest(fix, ofTracker: "tracker \(number % trackers)", now: now)
      }
      let (_, elapsed) = try timed { try mesh.at(0) { try $0.refreshStatuses(now: $1) } }
      // The first fix of a tracker adds it to the roster.
      if number >= trackers { costs.append(elapsed.wallSeconds * 1e6) }
    }
    let (_, list) = try timed { try mesh.at(0) { try $0.statuses(now: $1).users().count } }
    let worst = costs.sorted()[costs.count * 99 / 100]
    try Measurement(
      bench: "node-status", value: costs.median, unit: "µs/fix", limit: 1000,
      note: "\(listed + trackers) people; 99 of 100 within \(Int(worst)) µs; a full assessment "
        + "and listed \(Int(all.wallSeconds * 1000)) ms, listed again "
        + "\(Int(list.wallSeconds * 1000)) ms"
    ).print()
  }

  private static func place(_ number: Int) throws -> Coordinate {
    guard
      let place = Coordinate(
        latitudeE7: 480_000_000 + Int64(number % 100) * 1000, longitudeE7: 110_000_000)
    else { throw ValidationError("the fix leaves the map") }
    return place
  }
}
