import MusterModel
import Testing

@testable import MusterSync

/// Answers by multicast to those who ask again.
@Suite("Answers to all")
struct AnswerLedgerTests {
  private var ledger = AnswerLedger()
  private var now = Instant(microseconds: 1_000_000_000)

  private func item(_ range: ClosedRange<UInt64>, of log: UInt64 = 1) -> AnswerLedger.Item {
    let name = LogID(raw: Bytes16(high: log, low: 1))
    let frames = range.map {
      Frame(
        log: name, sequence: $0, previous: .none, epoch: nil, body: [], hash: .none, signature: nil)
    }
    return AnswerLedger.Item([.frames(frames, .state, after: .none)])
  }

  private mutating func wait(seconds: Int64) { now = now.advanced(byMilliseconds: seconds * 1000) }

  @Test mutating func `who asks while an answer is on its way waits for it`() {
    #expect(ledger.verdict(on: item(0...9), hasSession: true, now: now) == .toAll)
    ledger.note(item(0...9), within: 5000, now: now)
    wait(seconds: 4)
    for asks in [true, false] {
      #expect(ledger.verdict(on: item(3...9), hasSession: asks, now: now) == .onItsWay)
      // More than was sent is not on its way.
      #expect(ledger.verdict(on: item(3...10), hasSession: asks, now: now) == .toAll)
      #expect(ledger.verdict(on: item(3...9, of: 2), hasSession: asks, now: now) == .toAll)
    }
  }

  @Test mutating func `who missed it is answered alone for a minute`() {
    ledger.note(item(0...9), within: 5000, now: now)
    wait(seconds: 6)
    #expect(ledger.verdict(on: item(0...9), hasSession: true, now: now) == .alone)
    wait(seconds: 60)
    #expect(ledger.verdict(on: item(0...9), hasSession: true, now: now) == .toAll)
  }

  @Test mutating func `who asks all for the same again and again gets it ever more rarely`() {
    // Given a device that asks all each second for ten minutes
    var answers = 0
    for _ in 0..<600 {
      if ledger.verdict(on: item(0...9), hasSession: false, now: now) == .toAll {
        ledger.note(item(0...9), within: 5000, now: now)
        answers += 1
      }
      wait(seconds: 1)
    }
    // Then it is sent a few times,
    #expect((3...12).contains(answers), "\(answers)")
    // and those with a session wait no longer for that.
    #expect(ledger.verdict(on: item(0...9), hasSession: true, now: now) != .onItsWay)
  }

  @Test mutating func `what was answered first is forgotten first`() {
    for log in 1...UInt64(Limits.relays + 1) {
      ledger.note(item(0...9, of: log), within: 5000, now: now)
      wait(seconds: 1)
    }
    #expect(ledger.verdict(on: item(0...9, of: 1), hasSession: true, now: now) == .toAll)
    #expect(
      ledger.verdict(on: item(0...9, of: UInt64(Limits.relays)), hasSession: true, now: now)
        != .toAll)
  }
}
