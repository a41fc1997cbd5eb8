import MusterModel
import Testing

@testable import MusterSync

/// The rate that a device keeps to on links that many share.
@Suite("The share of a link")
struct LinkShareTests {
  private var share = LinkShare()
  private var now = Instant(microseconds: 1_000_000_000)
  private var rate: Int? = 8000
  private var devices = 100

  /// Notes an answer after some seconds without any.
  private mutating func answer(after delay: Int64, pause: Int64 = 5) {
    now = now.advanced(byMilliseconds: pause * 1000)
    share.noteDelay(
      milliseconds: delay, isAnswer: true, late: 1600, rate: rate, devices: devices, now: now)
  }

  /// Returns how many bytes pass in a minute, in datagrams of 300 bytes.
  private mutating func bytesInAMinute() -> Int {
    var passed = 0
    let end = now.advanced(byMilliseconds: 60_000)
    while now < end {
      if share.opensAt(now: now) == nil {
        share.take(300, now: now)
        passed += 300
      }
      now = now.advanced(byMilliseconds: 10)
    }
    return passed
  }

  @Test mutating func `while answers come in time nothing is limited`() {
    for _ in 0..<10 { answer(after: 700) }
    #expect(!share.isLimited)
    #expect(share.opensAt(now: now) == nil)
  }

  @Test(arguments: [(8000, 1000), (nil, 4000)] as [(Int?, Int)])
  mutating func `each late answer halves it, down to the least`(rate: Int?, least: Int) {
    // Given a device that sends as much as it can on a channel of a hundred
    self.rate = rate
    for _ in 0..<400 { share.take(100, now: now) }
    // When no answer comes in time for a minute
    for _ in 0..<12 { answer(after: 4000) }
    // Then all hundred together fill an eighth of the channel, or half of one of 64 kbit/s.
    #expect(share.isCongested(now: now))
    #expect(share.capacity == least)
    let lateAgain = now
    let passed = bytesInAMinute()
    let own = least / devices
    #expect(passed <= 60 * own * 5 && passed >= 60 * own / 2, "\(passed)")
    #expect(!share.isCongested(now: now) && now > lateAgain)
  }

  @Test(arguments: [(3, false), (90, true)] as [(Int64, Bool)])
  mutating func `what late answers showed is forgotten as slowly as it was learnt`(
    seconds: Int64, isRemembered: Bool
  ) {
    // Given a link without a configured rate, whose answers were late for a while
    rate = nil
    for _ in 0..<400 { share.take(100, now: now) }
    let end = now.advanced(byMilliseconds: seconds * 1000)
    while now < end { answer(after: 4000, pause: 1) }
    // When they came in time for a minute
    for _ in 0..<120 {
      answer(after: 50, pause: 1)
      share.take(10, now: now)
    }
    // Then a hiccup has no effect any more, and a narrow link is still known as one.
    #expect(!share.isLimited)
    #expect((share.capacity != nil) == isRemembered, "\(share.capacity ?? 0)")
  }

  @Test mutating func `a few devices need none`() {
    devices = 8
    for _ in 0..<400 { share.take(100, now: now) }
    for _ in 0..<12 { answer(after: 4000) }
    #expect(!share.isLimited && !share.isCongested(now: now.advanced(byMilliseconds: 10_000)))
  }

  @Test mutating func `late answers to what was sent before count once`() {
    for _ in 0..<400 { share.take(100, now: now) }
    answer(after: 4000)
    let before = share.capacity
    for _ in 0..<3 { answer(after: 4000, pause: 1) }
    #expect(share.capacity == before)
  }

  @Test mutating func `answers in time lift it`() {
    for _ in 0..<12 { answer(after: 4000) }
    var answers = 0
    while share.isLimited, answers < 100 {
      answer(after: 300, pause: 1)
      answers += 1
    }
    #expect(answers < 40, "\(answers)")
  }

  @Test mutating func `without any answer it grows slowly`() {
    for _ in 0..<12 { answer(after: 4000) }
    let least = share.capacity ?? 0
    for _ in 0..<3 { _ = bytesInAMinute() }
    let later = share.capacity ?? 0
    #expect(later > least && later < 32 * least)
  }
}
