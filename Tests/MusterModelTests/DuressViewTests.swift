import MusterModel
import Testing

/// What everyone but command sees of a person under duress (decision 0047).
struct DuressViewTests {
  private func person(_ conditions: [StatusCondition]) -> UserSummary {
    let shown = StatusCondition.decisive(of: conditions)
    var summary = UserSummary(
      id: UserID(raw: Bytes16(high: 1, low: 1)), callsign: "Ben", role: .member,
      status: shown.status, severity: shown.severity, reason: shown.reason, fix: nil,
      reportedAt: nil, fixAgeSeconds: nil, team: "", trackerOwner: nil, selfReport: nil,
      override: nil)
    summary.conditions = conditions
    return summary
  }

  @Test func `a call is left out, and the status is that of the rest`() {
    let left = StatusCondition(status: .signedOff, severity: .neutral, reason: "signed off")
    let late = StatusCondition(status: .unaccounted, severity: .danger, reason: "check-in")
    let call = StatusCondition(status: .mayday, severity: .danger, reason: "asked for help")
    for rest in [[call], [left], [left, late], [late]] {
      #expect(person([.underDuress] + rest).withoutDuress == person(rest))
      #expect(person(rest).withoutDuress == person(rest))
    }
    #expect(person([.underDuress]).withoutDuress == person([.inContact]))
    #expect(person([left, late]).status == .unaccounted)
  }
}
