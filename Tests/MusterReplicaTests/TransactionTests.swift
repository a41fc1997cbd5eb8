import MusterModel
import MusterStore
import Testing

@testable import MusterReplica

@Suite("The changes of one call, and the pauses after failures")
struct TransactionTests {
  private func log(_ number: UInt64) -> LogID { LogID(raw: Bytes16(high: 0, low: number)) }

  private func clock(_ milliseconds: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: 0).advanced(byMilliseconds: milliseconds),
      wall: Timestamp(milliseconds: 0), boot: milliseconds, entropy: .zero)
  }

  @Test func `a stale view is derived once, with the rows that are stale too`() {
    var transaction = Transaction()
    transaction.markStale([FrameRange(log: log(1), sequences: 1...3)])
    transaction.markViewStale()
    #expect(transaction.batch.forgotten.contains(ReplicaCore.viewKey))
    guard case .view? = transaction.takeStalePart() else {
      Issue.record("the view is not stale")
      return
    }
    let second = transaction.takeStalePart()
    #expect(second == nil)
  }

  @Test func `stale rows are derived together, and no frames are no change`() {
    var transaction = Transaction()
    transaction.markStale([])
    #expect(transaction.isUntouched)
    transaction.markStale([FrameRange(log: log(1), sequences: 1...3)])
    transaction.markStale([FrameRange(log: log(2), sequences: 5...5)])
    guard case .ranges(let ranges)? = transaction.takeStalePart() else {
      Issue.record("no rows are stale")
      return
    }
    #expect(ranges.map(\.log) == [log(1), log(2)])
  }

  @Test func `a failure after the author's write keeps the outcome and drops the batch`() {
    var transaction = Transaction()
    transaction.noteWritten()
    transaction.outcome.hasMovement = true
    transaction.batch.forgotten.insert("key")
    transaction.fail(afterWriting: StoreError.diskFull)
    #expect(transaction.batch.isEmpty && transaction.hasWritten)
    let outcome = transaction.takeOutcome()
    #expect(outcome.hasMovement && outcome.remarks.count == 1)
    let next = transaction.takeOutcome()
    #expect(next.remarks.isEmpty)
    transaction.begin()
    #expect(transaction.isUntouched)
  }

  @Test func `pauses double with each failure of the disk, and end with a commit`() {
    var recovery = RecoveryState()
    #expect(!recovery.isResting(now: clock(0)))
    recovery.note(StoreError.diskFull, contacts: [], now: clock(0))
    #expect(recovery.isBehind)
    #expect(recovery.isResting(now: clock(999)) && !recovery.isResting(now: clock(1000)))
    recovery.note(StoreError.diskFull, contacts: [], now: clock(1000))
    #expect(recovery.isResting(now: clock(2999)) && !recovery.isResting(now: clock(3000)))
    recovery.noteCommit()
    #expect(!recovery.isBehind && !recovery.isResting(now: clock(1001)))
  }

  @Test func `salvaged frames of control logs are joined first`() {
    var recovery = RecoveryState()
    recovery.setAside([
      JoinableLog(log: log(1), isControl: false), JoinableLog(log: log(2), isControl: true),
    ])
    let taken = (0..<3).map { _ in recovery.takeJoinable() }
    #expect(taken == [log(2), log(1), nil])
  }

  @Test func `a revocation that counts is either named or not`() {
    let frame = FrameHash(raw: Bytes32(prefix: .zero, suffix: .zero))
    var frames = RevocationFrames()
    let first = frames.count(frame)
    let second = frames.count(frame)
    #expect(first != nil && first?.number == nil && second == nil)
    #expect(!frames.areAllNamed)
    let naming = frames.name(frame, by: 7)
    #expect(naming.completesNames && naming.counts && !naming.isHeld)
    #expect(frames.areAllNamed && frames.namedCount == 1)
    let (missing, again) = (frames.hold(frame), frames.hold(frame))
    #expect(missing == [7] && again.isEmpty)
    let named = frames.countNone()
    #expect(named == [7])
    #expect(frames.namedCount == 0)
  }
}
