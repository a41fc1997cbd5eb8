import MusterModel
import Testing

@testable import MusterReplica

/// The table of alerts when there are more than it holds (decision 0110).
@Suite("Alerts take turns")
struct AlertTurnsTests {
  private static let now = Timestamp(milliseconds: 1_750_000_000_000)
  private let mia = UserID(raw: Bytes16(high: 1, low: 1))
  private let ben = UserID(raw: Bytes16(high: 2, low: 2))

  private func finding(
    _ kind: AlertKind, _ number: Int, _ level: AlertLevel, by author: UserID?,
    isPersonsCall: Bool = false
  ) -> AlertTracker.Finding {
    let row = RowID(raw: Bytes16(high: author?.raw.high ?? 0, low: UInt64(number)))
    return AlertTracker.Finding(
      id: AlertID(kind: kind, row: row), level: level, phrase: Phrase(.inContact), author: author,
      isPersonsCall: isPersonsCall)
  }

  private func flood(_ level: AlertLevel = .danger) -> [AlertTracker.Finding] {
    (0..<2 * Limits.alerts).map { finding(.checkIn, $0, level, by: mia) }
  }

  private func chosen(_ findings: [AlertTracker.Finding]) -> Set<AlertID> {
    var tracker = AlertTracker()
    tracker.update(findings, now: Self.now) { _ in [] }
    #expect(tracker.alerts.count == min(findings.count, Limits.alerts))
    return Set(tracker.alerts.map(\.id))
  }

  @Test func `the dangers of one author keep out nothing of another and of this device`() {
    let others = [
      finding(.hazard, 1, .danger, by: ben), finding(.checkIn, 1, .warning, by: ben),
      finding(.safe, 1, .notice, by: ben), finding(.disk, 1, .warning, by: nil),
    ]
    for findings in [others + flood(), flood() + others, (flood() + others).reversed()] {
      #expect(chosen(findings).isSuperset(of: others.map(\.id)))
    }
  }

  @Test func `danger comes before warnings, and these before notices, of however many authors`() {
    let authors = (1...Limits.alerts).map { UserID(raw: Bytes16(high: 9, low: UInt64($0))) }
    let notices = authors.map { author in
      AlertTracker.Finding(
        id: AlertID(kind: .safe, row: RowID(raw: author.raw)), level: .notice,
        phrase: Phrase(.safe),
        author: author)
    }
    let warnings = (0..<200).map { finding(.silent, $0, .warning, by: ben) }
    let dangers = (0..<200).map { finding(.checkIn, $0, .danger, by: mia) }
    let kept = chosen(notices + warnings + dangers)
    #expect(kept.isSuperset(of: (warnings + dangers).map(\.id)))
  }

  @Test func `of two authors with too many dangers each has a turn, whatever the order`() {
    let both = flood() + (0..<2 * Limits.alerts).map { finding(.checkIn, $0, .danger, by: ben) }
    let kept = chosen(both)
    #expect(kept.count { $0.row.raw.high == 1 } == Limits.alerts / 2)
    #expect(chosen(both.reversed()) == kept)
    #expect(chosen(both.sorted { $0.id.row < $1.id.row }) == kept)
  }

  @Test func `a person with a certificate who calls has a place beside the dangers of hundreds`() {
    let call = finding(.help, 1, .danger, by: ben, isPersonsCall: true)
    let dangers = (1...2 * Limits.alerts).map { number in
      finding(.hazard, 1, .danger, by: UserID(raw: Bytes16(high: UInt64(number) + 9, low: 0)))
    }
    #expect(chosen(dangers + [call]).contains(call.id))
    let more = (0..<40).map { finding(.checkIn, $0, .danger, by: ben) }
    #expect(chosen(more + dangers + [call]).contains(call.id))
  }

  @Test func `of one matter the most severe finding counts`() {
    var tracker = AlertTracker()
    let (mild, severe) = (
      finding(.bound, 1, .warning, by: ben), finding(.bound, 1, .danger, by: ben)
    )
    tracker.update([mild, severe, mild], now: Self.now) { _ in [] }
    #expect(tracker.alerts.map(\.level) == [.danger])
  }
}

/// Finding 8 of insiders: Ada is command, Mia a modified program's user, Ben a member.
@Suite("One member's trackers and timers")
struct AlertFloodTests {
  @Test func `they keep out neither the report, nor the call, nor the timer of another`() throws {
    var valley = try Valley.with("Ada", "Mia", "Ben")
    valley.checksInvariants = false
    let place = fix(metresNorth: 0, second: 1)
    try valley.at("Mia") { replica, now in
      try replica.ingest(
        (0..<Limits.trackersPerDevice).map { TrackedFix(place, of: "M\($0)") }, now: now
      ).outcome
    }
    try valley.converge()
    let trackers = try valley.ask("Mia") { try $0.statuses(now: $1).users() }
      .filter(\.isTracker).map(\.id)
    #expect(trackers.count == Limits.trackersPerDevice)
    let short = CheckInDraft(durationSeconds: 2, repeats: false, graceSeconds: 0, note: "")
    for _ in 0..<4 {
      try valley.at("Mia") {
        try $0.write(CheckInRequests.start(short, of: trackers), now: $1).outcome
      }
    }
    for tracker in trackers {
      try valley.at("Mia") {
        try $0.write(PersonRequests.claim(.needsHelp, note: "", forTracker: tracker), now: $1)
      }
    }
    try valley.converge()
    try valley.run(milliseconds: 10_000)
    _ = try valley.ask("Ada") { try $0.reviewAlerts(now: $1) }

    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Dam", toEvacuate: true)), now: $1)
    }
    try valley.claim(.needsHelp, by: "Ben")
    let timer = try valley.at("Ben") {
      try $0.write(CheckInRequests.start(short, of: []), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 10_000)

    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    let ben = valley.laptops[valley.index("Ben")].credentials.user
    let ids = Set(alerts.map(\.id))
    #expect(alerts.count == Limits.alerts)
    #expect(ids.contains(AlertID(kind: .hazard, row: report)))
    #expect(ids.contains(AlertID(kind: .help, row: RowID(raw: ben.raw))))
    #expect(timer.allSatisfy { ids.contains(AlertID(kind: .checkIn, row: $0)) })
    // No call of Mia's is dropped either.
    #expect(alerts.count { $0.id.kind == .help } == Limits.trackerCalls + 1)
    let shared = try #require(alerts.first { $0.id.kind == .furtherCalls })
    #expect(shared.text.hasPrefix("and 252 more calls for help of Mia's trackers: M"))
    #expect(shared.text.hasSuffix(" and 244 more"))
    try expectWarning(ofNameTakenBy: "Mia", in: &valley)
  }

  /// A warning about the author of a flood is not the author's: it is kept too.
  private func expectWarning(ofNameTakenBy name: String, in valley: inout Valley) throws {
    let user = valley.laptops[valley.index(name)].credentials.user
    let other = valley.laptops.first { $0.credentials.user < user }?.name ?? "Ben"
    try valley.at(name) { try $0.write(PersonRequests.setCallsign(other), now: $1) }
    try valley.converge()
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.count == Limits.alerts && alerts.contains { $0.id.kind == .sameCallsign })
  }
}
