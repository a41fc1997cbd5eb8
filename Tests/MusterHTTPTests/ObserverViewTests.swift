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
    // A call under duress is never part of an alert that several calls share.
    let alerts = Reply.alerts([alert(.duress), alert(.furtherCalls), alert(.checkIn)])
    #expect(alerts.withoutDuress == .alerts([alert(.furtherCalls), alert(.checkIn)]))
    #expect(Reply.done.withoutDuress == .done)
  }

  @Test func `a map program shows no call to command either`() throws {
    let place = try #require(Coordinate(latitudeE7: 1, longitudeE7: 2))
    func feature(_ condition: StatusCondition) -> String {
      var person = person("Ben", condition)
      person.fix = Fix(
        position: place, accuracyDecimetres: 50, sampleTime: Timestamp(milliseconds: 0))
      return person.row.feature
    }
    #expect(!feature(.inContact).isEmpty && feature(.underDuress) == feature(.inContact))
  }

  @Test func `a replay shows neither a call nor when it began`() {
    let now = Timestamp(milliseconds: 60_000)
    let began = Timestamp(milliseconds: 5000)
    func picture(_ condition: StatusCondition, since: Timestamp?) -> Reply {
      var picture = HistoryPicture(at: now, view: .known, begins: began, now: now)
      picture.people = [HistoricPerson(summary: person("Ben", condition), since: since)]
      return .history(picture)
    }
    let shown = picture(.inContact, since: nil)
    #expect(picture(.underDuress, since: began).withoutDuress == shown)
    #expect(picture(.inContact, since: began).withoutDuress == shown)
  }

  @Test func `the timeline has no event that only a call explains`() {
    let now = Timestamp(milliseconds: 60_000)
    func event(
      _ before: [StatusCondition], _ after: [StatusCondition], since: Timestamp? = nil
    ) -> HistoryEvent {
      HistoryEvent(
        time: now, kind: .status, id: "1", severity: after[0].severity, callsign: "Ben",
        what: after[0].status.rawValue, text: after[0].reason, row: "1",
        conditions: HistoryEvent.Conditions(before: before, after: after, since: since))
    }
    let silence = StatusCondition(status: .noContact, severity: .warning, reason: "no contact")
    let events = [
      event([.inContact], [.underDuress], since: now),
      event([.underDuress], [.underDuress, silence], since: now),
      event([silence], [.inContact], since: now),
    ]
    #expect(
      events.compactMap(\.withoutDuress)
        == [event([.inContact], [silence]), event([silence], [.inContact])])
  }

  @Test func `a page of the timeline is cut after calls were left out`() {
    func command(hidesDuress: Bool) -> Command {
      .timeline(
        from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 1), after: nil, limit: 1,
        hidesDuress: hidesDuress)
    }
    #expect(command(hidesDuress: false).withoutDuress == command(hidesDuress: true))
    #expect(Command.users.withoutDuress == .users)
  }
}
