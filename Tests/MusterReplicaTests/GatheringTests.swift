import MusterModel
import MusterReplica
import Testing

@Suite("Many commands at once")
struct WriteGroupTests {
  private func frames(_ valley: inout Valley) throws -> Int {
    try valley.ask("Ben") { replica, _ in try replica.queries.framesHeld() }
  }

  @Test func `share frames, and have the same effect as one by one`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let before = try frames(&valley)

    var ids: [RowID] = []
    try valley.at("Ben") { replica, now in
      try replica.gather(now: now) { replica in
        for number in 0..<60 {
          let draft = ReportDraft(title: "Smoke \(number)", toEvacuate: number == 7)
          ids.append(try replica.write(ReportRequests.add(draft), now: now).answer)
        }
      }
    }
    // Two openings at most, and a few full frames.
    #expect(try frames(&valley) - before <= 8)
    try valley.converge()

    for name in valley.names {
      let reports = try valley.ask(name) { replica, _ in try replica.queries.reports() }
      #expect(Set(reports.map(\.id)) == Set(ids))
      #expect(reports.filter(\.toEvacuate).map(\.title) == ["Smoke 7"])
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  @Test func `are announced in full where an edit of the same report follows a long text`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Old")), now: $1)
    }
    try valley.converge()
    // The second edit seals the first, whose text does not compress into the frame of its title.
    let details = (0..<1000).map { String($0 * 7919 % 10_007, radix: 36) }.joined()
    try valley.at("Ben") { replica, now in
      try replica.gather(now: now) { replica in
        let first = ReportChanges(title: "First", details: details)
        _ = try replica.write(ReportRequests.edit(id, first), now: now)
        _ = try replica.write(ReportRequests.edit(id, ReportChanges(title: "Last")), now: now)
      }
    }
    try valley.ask("Ben") { replica, _ in try replica.checkInvariants() }
    try valley.converge()
    let read = try valley.ask("Ada") { replica, _ in try replica.queries.reports() }
    #expect(read.map(\.title) == ["Last"])
  }

  @Test func `see the effects of earlier commands`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let old = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Old")), now: $1)
    }
    try valley.converge()

    var new = old
    try valley.at("Ben") { replica, now in
      try replica.gather(now: now) { replica in
        new = try replica.write(ReportRequests.add(ReportDraft(title: "New")), now: now).answer
        for round in 0..<20 {
          for id in [old, new] {
            let changes = ReportChanges(title: "Round \(round)", severity: UInt8(round % 5 + 1))
            _ = try replica.write(ReportRequests.edit(id, changes), now: now)
          }
        }
        _ = try replica.write(PersonRequests.claim(.safe, note: ""), now: now)
        _ = try replica.write(PersonRequests.claim(.needsHelp, note: "leg"), now: now)
        _ = try replica.write(ReportRequests.delete(old), now: now)
        do {
          _ = try replica.write(ReportRequests.edit(old, ReportChanges(title: "Gone")), now: now)
          Issue.record("a deleted report was edited")
        } catch is Refusal {
        }
      }
    }
    try valley.converge()

    for name in valley.names {
      let reports = try valley.ask(name) { replica, _ in try replica.queries.reports() }
      #expect(reports.map(\.title) == ["Round 19"])
      #expect(reports.map(\.severity) == [5])
      #expect(reports.allSatisfy { $0.conflicts.isEmpty })
      let ben = try valley.ask(name) { try $0.statuses(now: $1).users() }.first {
        $0.callsign == "Ben"
      }
      #expect(ben?.safety == .unsafe)
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
  }

  /// Two concurrent changes of one version share a transaction: the second must be rejected.
  @Test func `see another version of a row that an earlier command changed`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Old")), now: $1)
    }
    let key = RowKey(kind: .report, id: id)

    var versions: [String] = []
    try valley.at("Ben") { replica, now in
      try replica.gather(now: now) { replica in
        for title in ["First", "Second"] {
          versions.append(try replica.version(of: key, now: now))
          _ = try replica.write(ReportRequests.edit(id, ReportChanges(title: title)), now: now)
        }
      }
    }
    versions.append(try valley.ask("Ben") { try $0.version(of: key, now: $1) })
    #expect(Set(versions).count == 3)
  }

  @Test func `all succeed or none does`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let before = try frames(&valley)
    let incarnationState = try valley.ask("Ben") { replica, _ in replica.incarnationState }

    #expect(throws: Refusal.self) {
      try valley.at("Ben") { replica, now in
        try replica.gather(now: now) { replica in
          let id = try replica.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: now)
            .answer
          // An edit seals the writes before it.
          _ = try replica.write(ReportRequests.edit(id, ReportChanges(title: "Fire")), now: now)
          _ = try replica.write(ReportRequests.add(ReportDraft(title: "")), now: now)
        }
      }
    }
    #expect(try frames(&valley) == before)
    #expect(try valley.ask("Ben") { replica, _ in replica.incarnationState } == incarnationState)

    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Ash")), now: $1) }
    try valley.converge()
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.queries.reports() }.map(\.title) == ["Ash"])
  }
}
