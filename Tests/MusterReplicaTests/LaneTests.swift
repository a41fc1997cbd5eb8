import MusterModel
import MusterStore
import MusterSync
import Testing

@testable import MusterReplica

@Suite("Lanes overtake one another")
struct LaneTests {
  /// Returns the frames of a device's log in a lane, with its opening.
  private func log(
    _ lane: Lane, of name: String, in valley: Valley
  ) throws -> (opening: Opening, frames: [Frame]) {
    let laptop = valley.laptops[valley.index(name)]
    let certificate = laptop.credentials.local.certificate.hash
    let summary = try #require(
      try laptop.store.logs().first {
        $0.opening.certificate == certificate && $0.opening.lane == lane
      })
    let frames = try laptop.store.frames(
      log: summary.head.log, from: 0, maxBytes: .max, maxFrames: .max)
    return (summary.opening, frames)
  }

  @Test func `an urgent edit of a row that has not arrived applies at once`() throws {
    // Given a report in the state lane that its owner then marks as deadly
    var valley = try Valley.with("Ada", "Ben")
    valley.cut(["Ada"], ["Ben"])
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smell", severity: 2)), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(
        ReportRequests.edit(id, ReportChanges(title: "Gas", severity: 5, toEvacuate: true)), now: $1
      )
    }

    // When only Ben's urgent log reaches Ada
    let urgent = try log(.urgent, of: "Ben", in: valley)
    valley.checksInvariants = false
    try valley.at("Ada") { replica, now in
      try replica.transact(now: now) {
        try $0.core.hold(urgent.frames, opening: urgent.opening, now: now)
      }
    }

    let early = try valley.ask("Ada") { replica, _ in try replica.queries.report(id) }
    #expect(early.title == "Gas")
    #expect(early.severity == 5)
    #expect(early.toEvacuate)
    #expect(early.owner == valley.laptops[1].credentials.user)

    // Then the rest has the same result as if it had arrived first.
    try valley.restart("Ada")
    valley.heal()
    try valley.converge()
    let late = try valley.ask("Ada") { replica, _ in try replica.queries.report(id) }
    #expect(late.title == "Gas")
    #expect(late.conflicts.isEmpty)
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `the order in which lanes and authors arrive changes nothing`() throws {
    // Given edits of two people in the logs of three lanes
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smell")), now: $1)
    }
    try valley.converge()
    valley.cut(["Ada"], ["Ben"])
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: true)), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Gas")), now: $1)
    }
    try valley.at("Ada") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Fog")), now: $1)
    }
    try valley.at("Ada") { try $0.write(ReportRequests.delete(id), now: $1) }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(toEvacuate: false)), now: $1)
    }
    valley.heal()
    try valley.converge()
    let expected = try valley.hashes()[0]
    let keys = try valley.laptops[0].store.epochKeys().map {
      EpochKey(id: $0.id, key: $0.key.bytes)
    }
    let control = try log(.control, of: "Ada", in: valley)
    let logs = [
      try log(.state, of: "Ada", in: valley), try log(.state, of: "Ben", in: valley),
      try log(.urgent, of: "Ben", in: valley),
    ]

    // When a new replica receives them in each order
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      var replica = try Replica(
        store: .inMemory(), credentials: valley.laptops[1].credentials, start: .continues,
        seed: valley.seed32(), systemBoot: [1], now: valley.clock)
      let now = valley.clock
      _ = try replica.transact(now: now) { replica in
        try replica.core.hold(control.frames, opening: control.opening, now: now)
        for key in keys { try replica.core.learn(key, now: now) }
        for index in order {
          for frame in logs[index].frames {
            try replica.core.hold([frame], opening: logs[index].opening, now: now)
          }
        }
      }

      #expect(try replica.stateHash() == expected, "in the order \(order)")
    }
  }
}
