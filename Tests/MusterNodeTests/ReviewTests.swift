import MusterModel
import MusterReplica
import Testing

@testable import MusterNode

@Suite struct `When alerts are reviewed` {
  private static func second(_ seconds: Int64) -> Instant {
    Instant(microseconds: seconds * 1_000_000)
  }

  /// The outcome of a write to a row.
  private static func change(of kind: EntityKind) -> Replica.Outcome {
    var outcome = Replica.Outcome()
    outcome.changedRows = [RowKey(kind: kind, id: RowID(raw: Bytes16(high: 1, low: 7)))]
    return outcome
  }

  @Test(arguments: [EntityKind.user, .tracker, .unverifiedCall])
  func `a call for help does not wait as long as reports after a review that took long`(
    kind: EntityKind
  ) {
    var notifier = ChangeNotifier(starts: 1)
    notifier.reviewed(from: Self.second(10), to: Self.second(11), nextChange: nil)
    notifier.note(Self.change(of: .report), now: Self.second(12))
    #expect(notifier.reviewDue == Self.second(31))
    notifier.note(Self.change(of: kind), now: Self.second(12))
    #expect(notifier.reviewDue == Self.second(14))
  }

  @Test func `calls without end leave the node three quarters of its time`() {
    var notifier = ChangeNotifier(starts: 1)
    var (now, busy) = (Self.second(100), Int64(0))
    while now < Self.second(200) {
      notifier.note(Self.change(of: .user), now: now)
      let start = max(now, notifier.reviewDue)
      now = start.advanced(byMilliseconds: 1500)
      notifier.reviewed(from: start, to: now, nextChange: nil)
      busy += 1500
    }
    #expect(busy * 4 <= now.milliseconds(since: Self.second(100)) + 4 * 1500)
  }
}
