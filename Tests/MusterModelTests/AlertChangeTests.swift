import MusterModel
import Testing

@Suite("Changes between two sets of alerts")
struct AlertChangeTests {
  private func alert(
    _ number: UInt8, _ level: AlertLevel = .warning, text: String = "smoke", since: Int64 = 1,
    seenBy name: String? = nil
  ) -> Alert {
    Alert(
      id: AlertID(kind: .hazard, row: RowID(raw: Bytes16(high: 0, low: UInt64(number)))),
      level: level, text: text, since: Timestamp(milliseconds: since),
      acknowledgement: name.map {
        AlertAcknowledgement(name: $0, moment: Timestamp(milliseconds: 9))
      })
  }

  @Test func `alerts raised, cleared or acknowledged are each reported once, by id`() {
    let before = [alert(3), alert(2), alert(1)]
    let after = [alert(4), alert(2, seenBy: "Ada"), alert(1)]
    #expect(
      AlertChange.between(before, and: after) == [
        .acknowledged(alert(2, seenBy: "Ada")), .cleared(alert(3)), .raised(alert(4)),
      ])
    #expect(AlertChange.between(after, and: after).isEmpty)
  }

  @Test func `one that is shelved is reported once, and when it returns only with a later time`() {
    var shelved = alert(1)
    shelved.shelving = AlertShelving(
      name: "Ada", reason: "radio", until: Timestamp(milliseconds: 9))
    #expect(AlertChange.between([alert(1)], and: [shelved]) == [.shelved(shelved)])
    #expect(AlertChange.between([shelved], and: [shelved]).isEmpty)
    let again = alert(1, since: 2)
    #expect(AlertChange.between([shelved], and: [again]) == [.raised(again)])
  }

  @Test func `an alert whose level rises, or that returns, is raised again`() {
    let noticed = alert(1, seenBy: "Ada")
    for other in [alert(1, .danger), alert(1, since: 2)] {
      #expect(AlertChange.between([noticed], and: [other]) == [.raised(other)])
    }
    #expect(AlertChange.between([noticed], and: [alert(1, .notice, text: "less")]).isEmpty)
  }
}
