import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

/// What a login with observer rights gets of a person under duress (decision 0047).
@Suite struct ObserverViewTests {
  private func person(_ callsign: String, _ condition: StatusCondition) -> UserSummary {
    var person = UserSummary(
      id: UserID(raw: Bytes16(high: 1, low: 1)), callsign: callsign, role: .member,
      status: condition.status, severity: condition.severity, reason: condition.reason, fix: nil,
      reportedAt: nil, fixAgeSeconds: nil, team: "", trackerOwner: nil, selfReport: nil,
      override: nil)
    person.conditions = [condition]
    return person
  }

  private func alert(_ kind: AlertKind) -> Alert {
    Alert(
      id: AlertID(kind: kind, row: RowID(raw: Bytes16(high: 1, low: 1))), level: .danger,
      text: "Ben", since: Timestamp(milliseconds: 0))
  }

  @Test func `neither an alert, nor a status, nor the order of people shows a call`() {
    let anna = person("Anna", .inContact)
    let people = Reply.users([person("Ben", .underDuress), anna])
    #expect(people.withoutDuress == .users([anna, person("Ben", .inContact)]))
    let alerts = Reply.alerts([alert(.duress), alert(.checkIn)])
    #expect(alerts.withoutDuress == .alerts([alert(.checkIn)]))
    #expect(Reply.done.withoutDuress == .done)
  }
}
