import MusterModel
import Testing

@testable import MusterReplica

@Suite("Acknowledgements of alerts in their rows")
struct AlertTrackerTests {
  private let id = AlertID(kind: .inHazard, row: RowID(raw: Bytes16(high: 1, low: 1)))
  private let device = DeviceID(raw: Bytes16(high: 2, low: 2))
  private let now = Timestamp(milliseconds: 1_750_000_000_000)

  private func position(_ counter: UInt64) -> SeenPosition {
    SeenPosition(
      device: device,
      order: RecordOrder(
        generation: 1, incarnation: Incarnation(raw: Bytes16(high: 3, low: 3)), counter: counter))
  }

  private func finding(_ counter: UInt64, _ level: AlertLevel = .danger) -> AlertTracker.Finding {
    AlertTracker.Finding(
      id: id, level: level, phrase: Phrase(.inContact),
      cause: AlertCause(dots: [], positions: [position(counter)]))
  }

  private func notice(_ counter: UInt64) -> AlertTracker.Notice {
    AlertTracker.Notice(
      dot: Dot(frame: Bytes16(high: 4, low: 4), index: 0),
      reply: AlertReply(
        user: UserID(raw: Bytes16(high: 5, low: 5)), note: "", dots: [],
        positions: [position(counter)]),
      acknowledgement: AlertAcknowledgement(name: "Ada", moment: now))
  }

  @Test func `one that names what was received counts`() {
    var tracker = AlertTracker()
    tracker.update([finding(7)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.first?.acknowledgement?.name == "Ada")
    // Also if the person has moved since
    tracker.update([finding(9)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.first?.acknowledgement?.name == "Ada")
  }

  @Test func `one of a shared alert counts also after a further position has arrived`() {
    func group(_ counter: UInt64) -> AlertTracker.Finding {
      let members = [1, 2].map { number in
        AlertTracker.FoldedCall(
          id: AlertID(kind: .silent, row: RowID(raw: Bytes16(high: 6, low: number))),
          cause: AlertCause(dots: [], positions: [position(counter)]), level: .warning)
      }
      return AlertTracker.Finding(
        id: AlertID(kind: .silentGroup, row: members[0].id.row), level: .warning,
        phrase: Phrase(.silent),
        calls: members)
    }
    var tracker = AlertTracker()
    tracker.update([group(7)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.first?.acknowledgement?.name == "Ada")
    // What was delayed arrives before the first position that ends the silence.
    tracker.update([group(9)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.first?.acknowledgement?.name == "Ada")
    // The last of them is silent still.
    let member = group(9).calls[0]
    let last = AlertTracker.Finding(
      id: member.id, level: .warning, phrase: Phrase(.silent), cause: member.cause)
    tracker.update([last], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.map(\.acknowledgement?.name) == ["Ada"])
  }

  @Test func `one that names a position that was not sent acknowledges nothing`() {
    var tracker = AlertTracker()
    let future = notice(UInt64(Int64.max))
    tracker.update([finding(7)], now: now) { _ in [future] }
    #expect(tracker.alerts.map(\.acknowledgement) == [nil])
  }

  @Test func `an alert that becomes more severe needs another one`() {
    var tracker = AlertTracker()
    tracker.update([finding(7, .warning)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.first?.acknowledgement != nil)
    tracker.update([finding(7, .danger)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.map(\.acknowledgement) == [nil])
    tracker.update([finding(7, .danger)], now: now) { _ in [notice(7)] }
    #expect(tracker.alerts.map(\.acknowledgement) == [nil])
  }
}
