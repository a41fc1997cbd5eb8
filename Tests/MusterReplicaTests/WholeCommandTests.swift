import MusterModel
import MusterReplica
import MusterTestKit
import Testing

/// The changes of one command are applied as a whole on every device, however many frames it takes.
/// Links are so slow that each frame is a separate step.
@Suite("Commands are applied whole")
struct WholeCommandTests {
  private func slowValley() throws -> Valley {
    var valley = try Valley.with("Ada", "Ben")
    valley.checksInvariants = false
    try valley.at("Ada") { try $0.limitLinks(to: LinkRate(bytesPerSecond: 4000), now: $1) }
    return valley
  }

  /// Returns Ben's view after each change, up to the expected last one.
  private func views<T: Equatable>(
    of valley: inout Valley, until last: T, _ view: (inout Valley) throws -> T
  ) throws -> [T] {
    var seen = [try view(&valley)]
    let end = try valley.wait(upTo: 300_000) { valley in
      let now = try view(&valley)
      if now != seen.last { seen.append(now) }
      return now == last
    }
    #expect(end != nil)
    return seen
  }

  @Test func `a zone that moves and becomes a hazard is never shown in between`() throws {
    struct Zone: Equatable {
      let kind: FenceKind
      let geometry: FenceGeometry
    }
    // Given an information zone that Ben holds
    var valley = try slowValley()
    let fence = try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "Ridge", kind: .info, geometry: outline(rings: 1))),
        now: $1)
    }
    try valley.converge(within: 300_000)

    // When Ada redraws it in about thirty frames, and makes it a hazard, in one command
    let after = Zone(kind: .hazard, geometry: outline(rings: 3))
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.edit(fence, FenceChanges(kind: after.kind, geometry: after.geometry)), now: $1
      )
    }

    // Then Ben sees the old zone, then the new one
    let seen = try views(of: &valley, until: after) { valley in
      let fences = try valley.ask("Ben") { replica, _ in try replica.queries.fences() }
      return Zone(kind: fences[0].kind, geometry: fences[0].geometry)
    }
    #expect(seen == [Zone(kind: .info, geometry: outline(rings: 1)), after])
  }

  @Test func `a call for evacuation does not wait for its long description`() throws {
    struct Seen: Equatable {
      let toEvacuate: Bool
      let severity: UInt8?
      let isDescribed: Bool
    }
    var valley = try slowValley()
    let details = String(repeating: "Smoke over the ridge. ", count: 700)
    try valley.at("Ada") {
      try $0.write(
        ReportRequests.add(
          ReportDraft(title: "Fire", details: details, severity: 5, toEvacuate: true)), now: $1)
    }

    let last = Seen(toEvacuate: true, severity: 5, isDescribed: true)
    let seen = try views(of: &valley, until: [last]) { valley in
      try valley.ask("Ben") { replica, _ in try replica.queries.reports() }
        .map {
          Seen(
            toEvacuate: $0.toEvacuate, severity: $0.severity, isDescribed: $0.details == details)
        }
    }
    #expect(seen == [[], [Seen(toEvacuate: true, severity: 5, isDescribed: false)], [last]])
  }

  @Test func `an order to 700 people with a long text is shown whole or not at all`() throws {
    struct Seen: Equatable {
      let hasText: Bool
      let names: Int
      let isDue: Bool
    }
    var valley = try slowValley()
    let people = (0..<700).map { number in
      UserID(raw: Bytes16(high: 7, low: UInt64(number)))
    }
    let text = String(repeating: "Leave by the north road. ", count: 200)
    let deadline = Timestamp(milliseconds: valley.clock.wall.milliseconds + 600_000)
    try valley.at("Ada") {
      try $0.write(
        OrderRequests.issue(
          DirectiveDraft(
            kind: .rollcall, text: text, addressees: .users(people), durationSeconds: 600)), now: $1
      )
    }

    let last = Seen(hasText: true, names: 700, isDue: true)
    let seen = try views(of: &valley, until: [last]) { valley in
      try valley.ask("Ben") { try $0.statuses(now: $1).directives() }.map {
        Seen(
          hasText: $0.text == text, names: $0.addressees.split(separator: ",").count,
          isDue: $0.deadline?.time == deadline)
      }
    }
    #expect(seen == [[], [last]])
  }

  @Test func `commands that share a transaction stay whole`() throws {
    var valley = try slowValley()
    try valley.at("Ada") { replica, now in
      try replica.gather(now: now) { replica in
        for number in 0..<40 {
          _ = try replica.write(
            ReportRequests.add(
              ReportDraft(title: "Smoke \(number)", severity: 3, toEvacuate: true)), now: now)
        }
      }
    }
    _ = try views(of: &valley, until: 40) { valley in
      let reports = try valley.ask("Ben") { replica, _ in try replica.queries.reports() }
      #expect(reports.allSatisfy { $0.toEvacuate && $0.severity == 3 && $0.title != "" })
      return reports.count
    }
  }
}
