import ArgumentParser
import MusterModel
import MusterReplica

/// What many check-ins cost a node that raises the alarm for each.
struct CheckInBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-ins",
    abstract: "Share of a core that a node with 10,000 running check-ins takes for them.",
    discussion: """
      Each second of the virtual clock some people check in, and the node reviews its alerts, as \
      it does at most once a second. Only the review is measured, with the assessment of what has \
      changed and the saving of times.
      """)

  @Option(help: "People with check-ins.")
  var people = 160

  @Option(help: "Running check-ins of each, at most 64.")
  var each = 63

  @Option(help: "Seconds of the virtual clock.")
  var seconds = 120

  func run() throws {
    progress("check-ins: \(people * each) timers of \(people) people")
    var mesh = try Mesh(seed: 23, founderAt: nil)
    for number in 0..<people { try mesh.admit(callsign: "Person \(number)", role: .member) }
    let founder = try mesh.at(0) { replica, now in
      try replica.statuses(now: now).users().filter { $0.role == .command }.map(\.id)
    }
    let users = try mesh.at(0) { try $0.statuses(now: $1).users().map(\.id) }
      .filter { !founder.contains($0) }
    for _ in 0..<each {
      try mesh.at(0) { replica, now in
        let draft = CheckInDraft(durationSeconds: 1200, repeats: true)
        _ = try replica.write(CheckInRequests.start(draft, of: users), now: now)
      }
    }
    let (_, first) = try timed { try mesh.at(0) { _ = try $0.reviewAlerts(now: $1) } }
    var (total, costs) = (Elapsed(), [Double]())
    for second in 0..<max(1, seconds) {
      try mesh.pass(milliseconds: 1000)
      let user = users[second % users.count]
      try mesh.at(0) { replica, now in
        _ = try replica.write(
          CheckInRequests.report(.ok, of: user, timer: nil, seconds: 0, note: ""), now: now)
      }
      let (_, elapsed) = try timed {
        try mesh.at(0) { replica, now in
          _ = try replica.reviewAlerts(now: now)
          _ = replica.nextStatusChange(now: now)
        }
      }
      total += elapsed
      costs.append(elapsed.processorSeconds * 1000)
    }
    try Measurement(
      bench: "check-ins", value: total.processorSeconds * 100 / Double(max(1, seconds)),
      unit: "% of a core", limit: 1,
      note: "\(users.count * each) timers, \(each) answered each second; a review takes "
        + "\(costs.median) ms, the first one \(Int(first.processorSeconds * 1000)) ms"
    ).print()
  }
}
