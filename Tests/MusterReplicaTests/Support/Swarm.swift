import MusterModel
import MusterReplica
import MusterTestKit
import Testing

/// Random actions of people in a valley, and the writes that were acknowledged.
struct Swarm {
  var valley: Valley
  private var random: SplitMix64
  private let people = ["Ada", "Ben", "Cleo", "Dora", "Emil"]
  /// Reports without an attempt to delete them.
  private var reports: [RowID] = []
  private var doomed: Set<RowID> = []
  private var comments: [RowID: Set<String>] = [:]
  private var confirmations: [RowID: Set<String>] = [:]
  /// Each person's own report, which no one else edits: the last acknowledged title.
  private var diaries: [String: (id: RowID, title: String)] = [:]
  private var callsigns: [String: String] = [:]
  private var second: Int64 = 0

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed &* 7919)
    valley = Valley(seed: seed)
    valley.checksInvariants = false
    try valley.found("Ada")
    for name in people.dropFirst() {
      try valley.join(name, invitedBy: "Ada", role: name == "Ben" ? .command : .member)
    }
    for name in people { callsigns[name] = name }
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    valley.air.lossPercent = 30
  }

  /// Performs one random action, and a pause.
  mutating func act() throws {
    guard let name = people.randomElement(using: &random) else { return }
    if valley.laptops[valley.index(name)].replica == nil {
      try valley.switchOn(name)
    } else {
      try act(as: name)
    }
    try valley.run(milliseconds: Int64(random.number(below: 1500)))
    for name in valley.names {
      try valley.ask(name) { replica, _ in try replica.checkInvariants() }
    }
  }

  private mutating func act(as name: String) throws {
    switch random.number(below: 12) {
    case 0, 1: try report(as: name)
    case 2, 3: try write(diaryOf: name)
    case 4: try comment(as: name)
    case 5: try confirm(as: name)
    case 6: try edit(as: name)
    case 7: try move(name)
    case 8: try cut()
    case 9: valley.heal()
    case 10: try valley.switchOff(name)
    default: try delete(as: name)
    }
  }

  /// Returns reports that a device has received.
  private mutating func known(to name: String) throws -> RowID? {
    let ids = try valley.ask(name) { replica, _ in try replica.queries.reports() }.map(\.id)
    let diaries = Set(diaries.values.map(\.id))
    return ids.filter { !diaries.contains($0) }.sorted().randomElement(using: &random)
  }

  private mutating func report(as name: String) throws {
    let draft = ReportDraft(
      title: "Report \(random.number(below: 1000))", severity: UInt8(1 + random.number(below: 5)),
      toEvacuate: random.number(below: 3) == 0)
    reports.append(try valley.at(name) { try $0.write(ReportRequests.add(draft), now: $1) })
  }

  private mutating func write(diaryOf name: String) throws {
    let title = "Day \(random.number(below: 1000)) of \(name)"
    if let diary = diaries[name] {
      try valley.at(name) {
        try $0.write(ReportRequests.edit(diary.id, ReportChanges(title: title)), now: $1)
      }
      diaries[name]?.title = title
    } else {
      let id = try valley.at(name) {
        try $0.write(ReportRequests.add(ReportDraft(title: title)), now: $1)
      }
      diaries[name] = (id, title)
    }
  }

  private mutating func comment(as name: String) throws {
    guard let id = try known(to: name) else { return }
    let words = String(repeating: "word ", count: random.number(below: 500))
    let text = "\(name) \(random.next()) \(words)"
    try valley.at(name) { try $0.write(ReportRequests.comment(id, text: text), now: $1) }
    comments[id, default: []].insert(text)
  }

  private mutating func confirm(as name: String) throws {
    guard let id = try known(to: name) else { return }
    do {
      try valley.at(name) { try $0.write(ReportRequests.confirm(id), now: $1) }
    } catch is Refusal {
      return  // their own report
    }
    confirmations[id, default: []].insert(name)
  }

  private mutating func edit(as name: String) throws {
    guard let id = try known(to: name) else { return }
    let changes = ReportChanges(
      title: "Edit \(random.number(below: 1000))", toEvacuate: random.number(below: 2) == 0,
      status: random.number(below: 2) == 0 ? .open : .resolved)
    do {
      try valley.at(name) { try $0.write(ReportRequests.edit(id, changes), now: $1) }
    } catch is Refusal {
      // It is another person's, and this one is no commander.
    }
  }

  private mutating func delete(as name: String) throws {
    guard let id = try known(to: name) else { return }
    do {
      try valley.at(name) { try $0.write(ReportRequests.delete(id), now: $1) }
      doomed.insert(id)
    } catch is Refusal {
      // It is another person's, and this one is no commander.
    }
  }

  private mutating func move(_ name: String) throws {
    second += 10
    let fix = fix(metresNorth: Int64(random.number(below: 300)), second: second)
    try valley.at(name) { try $0.ingest(fix, now: $1) }
  }

  private mutating func cut() throws {
    var sides: [[String]] = [[], []]
    for name in people { sides[random.number(below: 2)].append(name) }
    valley.cut(sides[0], sides[1])
  }

  // MARK: Convergence

  /// Heals the network, which still loses three in ten. Returns the time until all converge.
  mutating func settle() throws -> Int64 {
    for name in people where valley.laptops[valley.index(name)].replica == nil {
      try valley.switchOn(name)
    }
    valley.heal()
    return try valley.converge(within: 180_000)
  }

  mutating func expectAgreement() throws {
    let seed = valley.seed
    for name in people {
      let shown = try valley.ask(name) { replica, _ in try replica.queries.reports() }
      let byID = Dictionary(uniqueKeysWithValues: shown.map { ($0.id, $0) })
      for id in reports where !doomed.contains(id) {
        let report = try #require(byID[id], "seed \(seed): \(name) lost a report")
        #expect(Set(report.comments.map(\.text)) == comments[id] ?? [], "seed \(seed)")
        let confirmers = report.confirmedBy.map(\.authorship.text)
        #expect(Set(confirmers) == confirmations[id] ?? [], "seed \(seed)")
      }
      for diary in diaries.values {
        #expect(byID[diary.id]?.title == diary.title, "seed \(seed)")
      }
      let report = try valley.ask(name) { replica, _ in try replica.verify() }
      #expect(report.problems == [], "seed \(seed)")
    }
    #expect(Set(try valley.hashes()).count == 1, "seed \(seed)")
  }
}
