import Testing

@testable import MusterSync

struct WindowOverTCPTests {
  @Test func `while TCP retransmits a loss the window stays`() {
    var window = CongestionWindow()
    window.isOverTCP = true
    #expect(window.bytes == CongestionWindow.leastOverTCP)
    window.timeOut()
    #expect(window.bytes == CongestionWindow.leastOverTCP)
  }

  @Test func `it grows while nothing stands in TCP's buffers, and keeps a queue short`() {
    var window = CongestionWindow()
    window.isOverTCP = true
    for _ in 0..<200 {
      window.wasFull = true
      window.acknowledge(CongestionWindow.datagram)
      window.sample(50_000)
    }
    window.endRound(least: 20_000)
    let grown = window.bytes
    #expect(grown > 4 * CongestionWindow.leastOverTCP)
    // Half a second where 20 ms would do: the way is full.
    for _ in 0..<40 {
      window.sample(500_000)
      window.endRound(least: 20_000)
    }
    #expect(window.bytes == CongestionWindow.leastOverTCP)
  }

  @Test func `by UDP it is as it was`() {
    var window = CongestionWindow()
    window.timeOut()
    #expect(window.bytes == CongestionWindow.least)
  }
}
