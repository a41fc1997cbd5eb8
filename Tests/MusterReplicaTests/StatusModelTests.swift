import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterReplica

/// The statuses that a replica keeps are those that it finds in a full assessment.
/// `MUSTER_VOLUME=200` for as many drawn histories; `MUSTER_TEST_SEED` replays one.
@Suite struct StatusModelTests {
  @Test func `what a replica keeps of statuses equals a full assessment over drawn histories`()
    throws
  {
    for seed in Volume.seeds(orUsual: 4) {
      var story = try StatusStory(seed: seed)
      for _ in 0..<40 { try story.step() }
      #expect(story.overlooked.isEmpty, "seed \(seed): \(story.overlooked)")
      #expect(story.seen.count > 4, "seed \(seed) shows no more than \(story.seen)")
    }
  }

  @Test func `one fix reassesses one person`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    for name in valley.names {
      try valley.at(name) { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    }
    try valley.converge()
    _ = try valley.ask("Ada") { try $0.statuses(now: $1).users() }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 500, second: 60), now: $1) }
    try valley.converge()
    let people = try valley.ask("Ada") { replica, now in
      // Of a copy: what is taken here is not assessed.
      var replica = replica
      replica.core.derived.statusModel.redate(replica.core.records.takeDated()) {
        .unstamped(arrival: 0, reportedAt: $0.writtenAt)
      }
      var names: Set<String> = []
      let stale = replica.core.derived.statusModel.takeStale()
      #expect(!stale.everybody && !stale.roster && !stale.zones && !stale.orders)
      for user in stale.people.union(stale.moved.compactMap(replica.core.derived.statusModel.user))
      {
        names.insert(try replica.core.context.callsign(of: user))
      }
      return names
    }
    #expect(people == ["Ben"])
  }
}

/// A drawn history of three laptops, which look at one another's statuses after every step.
private struct StatusStory {
  private(set) var overlooked: [String] = []
  private(set) var seen: Set<PersonStatus> = []
  private var valley: Valley
  private var random: SplitMix64
  private var second: Int64 = 0
  private var steps = 0

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    valley = try Valley.with("Ada", "Ben", "Cleo")
    // The story compares by itself, so that a difference names its seed and step.
    valley.checksInvariants = false
    try valley.draw("School", .muster)
  }

  mutating func step() throws {
    steps += 1
    do {
      try act()
    } catch is Refusal {
      // Nothing was written.
    }
    try valley.run(milliseconds: random.choice(of: [200, 2000, 2000, 30_000, 700_000]))
    for name in valley.names {
      let found = try valley.ask(name) { replica, now in
        (
          try replica.overlookedStatuses(now: now),
          try replica.statuses(now: now).users().map(\.status)
        )
      }
      overlooked += found.0.map { "\($0) by \(name) in step \(steps)" }
      seen.formUnion(found.1)
    }
  }

  private mutating func act() throws {
    let name = random.choice(of: valley.names)
    let metres = Int64(random.choice(of: [0, 50, 500, 3000]))
    let accuracy = random.choice(of: [5, 5, 5, 300, nil]) as UInt32?
    second += 5
    let fix = fix(metresNorth: metres, second: second, accuracyMetres: accuracy)
    let choice = random.number(below: 18)
    let other = random.choice(of: valley.names)
    let isSafe = random.chance(oneIn: 2)
    let seconds = UInt32(random.choice(of: [20, 600]))
    func user(_ replica: inout Replica, _ now: ClockReading) throws -> UserID {
      try replica.statuses(now: now).user(named: other)
    }
    switch choice {
    case 0...4: try valley.at(name) { try $0.ingest(fix, now: $1) }
    case 5: try valley.at(name) { try $0.ingest(fix, ofTracker: "truck", now: $1) }
    case 6: try valley.claim(isSafe ? .safe : .needsHelp, by: name)
    case 7:
      try valley.at("Ada") {
        try $0.write(
          PersonRequests.overrideSafety(of: user(&$0, $1), isSafe ? .safe : .needsHelp, note: ""),
          now: $1)
      }
    case 8: try valley.order(isSafe ? .muster : .rollcall, seconds: seconds)
    case 9:
      try valley.at(name) {
        try $0.write(
          OrderRequests.acknowledge(
            $0.statuses(now: $1).directive(waitingFor: nil, answered: false), note: "", for: nil),
          now: $1)
      }
    case 10:
      try valley.at("Ada") { replica, now in
        guard
          let open = try replica.statuses(now: now).directives().first(where: { $0.status == .open }
          )
        else { return Replica.Outcome() }
        return try replica.write(OrderRequests.close(open.id), now: now)
      }
    case 11: try valley.drawFire(isSafe ? .hazard : .info, metresNorth: metres)
    case 12:
      try valley.at("Ada") { replica, now in
        guard let zone = try replica.queries.fences().first(where: { $0.kind == .hazard }) else {
          return Replica.Outcome()
        }
        return try replica.write(
          PermitRequests.issue(
            PermitDraft(
              people: [try user(&replica, now)], team: "", zone: zone.id,
              durationSeconds: seconds)),
          now: now
        ).outcome
      }
    case 13:
      try valley.at("Ada") {
        try $0.write(
          SettingRequests.setSilence(seconds: seconds, of: isSafe ? nil : user(&$0, $1)), now: $1)
      }
    case 14:
      try valley.at(name) {
        try $0.write(PersonRequests.setCallsign("\(name)\(isSafe ? "" : " 2")"), now: $1)
      }
    case 15:
      try valley.at(name) {
        try $0.write(PersonRequests.setTeam(isSafe ? "red" : "blue", of: nil), now: $1)
      }
    case 16: isSafe ? valley.cut(["Ada"], ["Ben", "Cleo"]) : valley.heal()
    default:
      if random.chance(oneIn: 4), valley.names.contains("Cleo"), name == "Cleo" {
        let cleo = valley.laptops[valley.index("Cleo")].credentials.device
        try valley.at("Ada") { try $0.revoke(cleo, now: $1) }
      } else {
        valley.setClock(name, aheadMilliseconds: isSafe ? 86_400_000 : 0)
      }
    }
  }
}
