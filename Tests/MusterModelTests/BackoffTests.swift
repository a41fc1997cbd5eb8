import MusterModel
import Testing

struct BackoffTests {
  @Test func `delays grow to a bound, have jitter, and are reset by a success`() {
    var backoff = Backoff(first: .milliseconds(500), longest: .seconds(15))
    var shortest: [Duration] = []
    for _ in 0..<50 { shortest.append(backoff.next(random: 0)) }
    let first: [Duration] = [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)]
    #expect(Array(shortest.prefix(4)) == first)
    #expect(shortest.last == .milliseconds(7500))
    let longest = (0..<20_000).map { backoff.next(random: UInt64($0)) }.max()
    #expect(longest == .seconds(15))
    backoff.reset()
    #expect(backoff.next(random: .max) <= .milliseconds(500))
  }
}
