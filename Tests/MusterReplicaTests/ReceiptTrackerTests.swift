import MusterModel
import Testing

@testable import MusterReplica

@Suite("The order of receipts")
struct ReceiptTrackerTests {
  private func log(_ number: UInt64) -> LogID { LogID(raw: Bytes16(high: 0, low: number)) }

  private func instant(_ milliseconds: Int64) -> Instant {
    Instant(microseconds: 0).advanced(byMilliseconds: milliseconds)
  }

  @Test func `an urgent log is receipted before all others, however long they have waited`() {
    var tracker = ReceiptTracker()
    for number in 0..<20 as Range<UInt64> {
      tracker.owe(log(number), lane: number < 10 ? .history : .state, now: instant(0))
    }
    tracker.owe(log(99), lane: .urgent, now: instant(4000))
    let first = tracker.take(now: instant(5000))
    #expect(first.first == log(99))
    #expect(first.dropFirst().allSatisfy { $0.raw.low >= 10 }, "state comes before history")
  }

  @Test func `in one lane those longest due come first, each once`() {
    var tracker = ReceiptTracker()
    for number in 0..<10 as Range<UInt64> {
      tracker.owe(log(number), lane: .state, now: instant(Int64(10 - number) * 100))
    }
    let first = tracker.take(now: instant(5000))
    #expect(first == [9, 8, 7, 6, 5, 4].map(log))
    #expect(tracker.take(now: instant(5001)).isEmpty, "it rests")
    #expect(tracker.take(now: instant(9000)) == [3, 2, 1, 0].map(log))
    #expect(tracker.nextDeadline == nil)
  }
}
