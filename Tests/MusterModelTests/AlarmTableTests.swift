import MusterModel
import MusterTestKit
import Testing

@Suite struct `The table of alarms` {
  /// Kinds that no program raises any more.
  private static let unused: Set<AlertKind> = [.muster]

  @Test func `the document has the same table`() throws {
    #expect(
      try DocumentTable("alarms", in: "alarms.md").matches(Self.table()),
      """
      docs/alarms.md differs from the code. Review the change, and write the table again by:
      MUSTER_WRITE_TABLES=1 swift test --filter 'The table of alarms'
      """)
  }

  @Test func `each kind has a row, once for each priority, the most urgent first`() {
    let kinds = Set(AlarmRule.all.map(\.kind))
    #expect(kinds == Set(AlertKind.allCases).subtracting(Self.unused))
    let names = AlarmRule.all.map { "\($0.kind) \($0.priority)" }
    #expect(Set(names).count == names.count)
    #expect(AlarmRule.all.map(\.priority) == AlarmRule.all.map(\.priority).sorted(by: >))
  }

  @Test func `an alarm has a time to respond, and a message has none`() {
    for rule in AlarmRule.all {
      #expect((rule.minutes == nil) || rule.priority > .message, "\(rule.kind)")
      #expect((rule.minutes != nil) || rule.priority < .danger, "\(rule.kind)")
      #expect(!rule.coversPerson || rule.subject == .person || rule.subject == .checkIn)
    }
  }

  // MARK: Order

  private func alert(
    _ kind: AlertKind, _ level: AlertLevel, _ second: Int64, isAcknowledged: Bool = false
  ) -> Alert {
    let time = Timestamp(milliseconds: second * 1000)
    return Alert(
      id: AlertID(kind: kind, row: RowID(raw: Bytes16(high: 1, low: UInt64(second)))),
      level: level, text: "\(kind) \(second)", since: time,
      acknowledgement: isAcknowledged ? AlertAcknowledgement(name: "Ada", moment: time) : nil)
  }

  @Test func `a call for help comes first, whatever its age, and before every other danger`() {
    let alerts = [
      alert(.safe, .notice, 9), alert(.silent, .warning, 8), alert(.inHazard, .danger, 7),
      alert(.overdue, .danger, 6), alert(.help, .danger, 1), alert(.hazard, .danger, 5),
      alert(.overdue, .warning, 4), alert(.unverifiedCall, .warning, 3),
    ]
    let ordered = [
      "help 1", "inHazard 7", "overdue 6", "hazard 5", "unverifiedCall 3", "overdue 4",
      "silent 8", "safe 9",
    ]
    #expect(AlertPlace.inOrder(alerts).map(\.text) == ordered)
    #expect(AlertPlace.inOrder(alerts.reversed()).map(\.text) == ordered)
  }

  @Test func `new calls stand before those in hand: the newest first, then the longest waiting`() {
    let alerts = [
      alert(.help, .danger, 1, isAcknowledged: true), alert(.help, .danger, 2),
      alert(.help, .danger, 3, isAcknowledged: true), alert(.duress, .danger, 4),
      alert(.furtherCalls, .danger, 5), alert(.help, .danger, 6),
    ]
    #expect(
      AlertPlace.inOrder(alerts).map(\.text)
        == ["help 6", "furtherCalls 5", "duress 4", "help 2", "help 1", "help 3"])
  }

  @Test func `only warnings about others are shelved, and none about a call for help`() {
    let never: Set<AlertKind> = [.unverifiedCall, .calledOff, .directive, .stillness, .inHazard]
    for rule in AlarmRule.all {
      #expect(
        rule.isShelvable == (rule.priority == .warning && !never.contains(rule.kind)),
        "\(rule.kind) \(rule.priority)")
    }
  }

  @Test func `shelved warnings stand last`() {
    var shelved = alert(.checkIn, .warning, 9)
    shelved.shelving = AlertShelving(name: "Ada", reason: "radio", until: shelved.since)
    let ordered = AlertPlace.inOrder([shelved, alert(.safe, .notice, 1), alert(.help, .danger, 1)])
    #expect(ordered.map(\.text) == ["help 1", "safe 1", "checkIn 9"])
  }

  @Test func `life is a danger for older programs`() {
    #expect(alert(.help, .danger, 1).priority == .life)
    #expect(alert(.duress, .danger, 1).priority == .life)
    #expect(alert(.inHazard, .danger, 1).priority == .danger)
    #expect(AlertPriority.life.level == .danger && AlertPriority.message.level == .notice)
    for rule in AlarmRule.all {
      #expect(alert(rule.kind, rule.priority.level, 1).priority == rule.priority)
    }
  }

  // MARK: The table

  private static func table() -> String {
    var lines: [String] = []
    for priority in AlertPriority.allCases.sorted(by: >) {
      lines += [
        "### \(priority.name.capitalized)", "",
        "| kind | cause | response | within | ends with | each | covers | who gets it | shelved by |",
        "|---|---|---|---|---|---|---|---|---|",
      ]
      for rule in AlarmRule.all where rule.priority == priority {
        lines.append("| " + cells(of: rule).joined(separator: " | ") + " |")
      }
      if priority > .message { lines.append("") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cells(of rule: AlarmRule) -> [String] {
    [
      "`\(rule.kind.name)`", rule.cause, rule.response, rule.minutes.map { "\($0) min" } ?? "–",
      rule.end, rule.subject.rawValue, rule.coversPerson ? "yes" : "–", rule.audience.rawValue,
      rule.isShelvable ? "command" : "–",
    ]
  }
}
