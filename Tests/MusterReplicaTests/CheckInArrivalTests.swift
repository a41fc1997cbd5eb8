import MusterModel
import MusterStore
import MusterSync
import Testing

@testable import MusterReplica

/// Reports on a check-in that arrive without one between them.
@Suite("Check-ins out of order")
struct CheckInArrivalTests {
  private func report(
    _ kind: CheckInReportKind, of user: UserID? = nil, seconds: UInt32 = 0, by name: String,
    in valley: inout Valley
  ) throws {
    try valley.at(name) {
      try $0.write(
        CheckInRequests.report(kind, of: user, timer: nil, seconds: seconds, note: ""), now: $1)
    }
  }

  /// The frames that one laptop lacks of the log that has another's newest report.
  private func missing(
    at reader: String, of author: String, in valley: inout Valley
  ) throws -> (log: LogID, opening: Opening, frames: [Frame]) {
    let (log, frames) = try valley.ask(author) { replica, _ in
      let row = try #require(try replica.core.store.rows(.checkIn).first)
      let report = try #require(
        row.values(of: .checkInReport).first { $0.author == replica.core.local.author.user })
      let place = try #require(
        try replica.core.store.positions(ofFrames: [report.dot.frame]).first)
      return (
        place.log,
        try replica.core.store.frames(
          log: place.log, from: 0, maxBytes: .max, maxFrames: 100)
      )
    }
    let known = try valley.ask(reader) { replica, _ in
      try replica.core.store.frames(log: log, from: 0, maxBytes: .max, maxFrames: 100).count
    }
    return (log, try Opening(decoding: frames[0].body), Array(frames[known...]))
  }

  /// Found by the simulator: Cleo raised an alarm against the check-in that she held.
  @Test func `a check-in ends its author's earlier extension without command's between them`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    let ben = try valley.ask("Ben") { replica, _ in replica.core.local.author.user }
    try valley.at("Ben") {
      try $0.write(
        CheckInRequests.start(
          CheckInDraft(durationSeconds: 60, repeats: false, graceSeconds: 30), of: []), now: $1
      ).outcome
    }
    try report(.extend, seconds: 120, by: "Ben", in: &valley)
    try valley.converge()
    valley.cut(["Ada", "Ben"], ["Cleo"])
    try report(.extend, of: ben, seconds: 90, by: "Ada", in: &valley)
    try valley.run(milliseconds: 5000)
    try report(.ok, by: "Ben", in: &valley)
    let (log, opening, frames) = try missing(at: "Cleo", of: "Ben", in: &valley)
    #expect(!frames.isEmpty)
    try valley.at("Cleo") { replica, now in
      try replica.transact(now: now) {
        try $0.core.hold(frames, opening: opening, now: now)
        try $0.core.commit(now: now)
        let strands = try $0.core.store.strands(of: log)
        try $0.core.run(.attached(log, $0.device, .held(strands)), now: now)
      }
    }
    let states = try valley.ask("Cleo") { try $0.statuses(now: $1).checkIns() }.map(\.state)
    #expect(states == [.done])
  }
}
