import MusterModel
import Testing

@testable import MusterSimulator

/// The shared medium of the simulator.
@Suite("The channel")
struct ChannelTests {
  private let start = Instant(microseconds: 0)
  /// A datagram of one second.
  private let second = 8000

  @Test func `nodes in range of one another wait for one another`() throws {
    var channel = Channel(.shared(bitsPerSecond: 64_000), senders: 3)
    let first = channel.transmit(second, from: 0, now: start, reaches: nil)
    let next = channel.transmit(second, from: 2, now: start, reaches: nil)
    #expect(try #require(first.end).microseconds == 1_000_000 && !first.hasWaited)
    #expect(try #require(next.end).microseconds == 2_000_000 && next.hasWaited)
  }

  @Test func `a full queue drops`() {
    var channel = Channel(.shared(bitsPerSecond: 64_000), senders: 2)
    let sent = (0..<8).map { _ in channel.transmit(second, from: 0, now: start, reaches: nil) }
    #expect(sent.prefix(5).allSatisfy { $0.end != nil } && sent[5].end == nil)
    #expect(channel.dropped == 3)
  }

  @Test func `hidden senders collide where both arrive, and nowhere else`() throws {
    // Given a line in which each reaches its neighbours: 0 – 1 – 2 – 3
    var channel = Channel(.shared(bitsPerSecond: 64_000), senders: 4)
    let reaches = { (from: Int, to: Int) in abs(from - to) == 1 }
    // When the first and the third send at once
    let first = channel.transmit(second, from: 0, now: start, reaches: reaches)
    let third = channel.transmit(second, from: 2, now: start, reaches: reaches)
    // Then neither waits, and the one between them receives the first alone.
    #expect(!first.hasWaited && !third.hasWaited)
    #expect(first.covered.isEmpty && third.covered == [1])
    // And the one in range of the third waits for it.
    #expect(channel.transmit(second, from: 3, now: start, reaches: reaches).hasWaited)
  }

  @Test func `parts of a cut group use the channel at the same time`() {
    var channel = Channel(.shared(bitsPerSecond: 64_000), senders: 4)
    let reaches = { (from: Int, to: Int) in from / 2 == to / 2 }
    let sent = [0, 2].map { channel.transmit(second, from: $0, now: start, reaches: reaches) }
    #expect(sent.allSatisfy { !$0.hasWaited && $0.covered.isEmpty })
  }
}
