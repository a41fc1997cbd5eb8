import MusterModel
import Testing

@testable import MusterTransport

/// Thousands of uplinks at one node, of which some send as much as they can.
struct UplinkInboxTests {
  private func datagram(_ byte: UInt8, from uplink: UInt64) -> ReceivedDatagram {
    ReceivedDatagram(bytes: [byte], from: .uplink(uplink), viaMulticast: false, link: .uplink)
  }

  private func deliver(_ count: Int, from uplink: UInt64, to inbox: UplinkInbox) {
    for number in 0..<count {
      inbox.deliver(.datagrams([datagram(UInt8(number & 255), from: uplink)]))
    }
  }

  /// The uplinks and first bytes of the datagrams of the next batch.
  private func next(of inbox: UplinkInbox) async throws -> [(uplink: Endpoint, byte: UInt8)] {
    guard case .datagrams(let batch)? = await inbox.next() else { return [] }
    return batch.map { ($0.from, $0.bytes[0]) }
  }

  @Test func `one datagram waits for one turn of an uplink that floods`() async throws {
    let inbox = UplinkInbox()
    deliver(UplinkInbox.boundOfOne, from: 1, to: inbox)
    inbox.deliver(.datagrams([datagram(77, from: 2)]))
    let batch = try await next(of: inbox)
    #expect(batch.count == Limits.inputsPerBatch)
    #expect(batch.firstIndex { $0.uplink == .uplink(2) } == UplinkInbox.turns.upperBound)
  }

  @Test func `one datagram passes hundreds of uplinks that acknowledge a flood`() async throws {
    let inbox = UplinkInbox()
    for uplink: UInt64 in 1...300 { deliver(20, from: uplink, to: inbox) }
    inbox.deliver(.datagrams([datagram(77, from: 500)]))
    var passed = 0
    while true {
      let batch = try await next(of: inbox)
      if let place = batch.firstIndex(where: { $0.uplink == .uplink(500) }) {
        passed += place
        break
      }
      passed += batch.count
    }
    #expect(passed == 300 * UplinkInbox.turns.lowerBound)
  }

  @Test func `datagrams of one uplink keep their order, and each leaves once`() async throws {
    let inbox = UplinkInbox()
    for number: UInt8 in 0..<200 {
      for uplink: UInt64 in 1...3 {
        inbox.deliver(.datagrams([datagram(number, from: uplink)]))
      }
    }
    inbox.finish()
    var seen: [Endpoint: [UInt8]] = [:]
    while let event = await inbox.next() {
      guard case .datagrams(let batch) = event else { continue }
      #expect(batch.count <= Limits.inputsPerBatch)
      for datagram in batch { seen[datagram.from, default: []].append(datagram.bytes[0]) }
    }
    #expect(seen.count == 3)
    for bytes in seen.values { #expect(bytes == Array(0..<200)) }
    #expect(inbox.dropped == 0)
  }

  @Test func `open and close events keep their place among the datagrams of their uplink`()
    async throws
  {
    let inbox = UplinkInbox()
    inbox.deliver(.opened(.uplink(1), calls: false))
    deliver(2, from: 1, to: inbox)
    inbox.deliver(.closed(.uplink(1)))
    deliver(1, from: 2, to: inbox)
    inbox.deliver(.opened(.uplink(1), calls: false))
    inbox.finish()
    var order: [Endpoint: [String]] = [:]
    while let event = await inbox.next() {
      switch event {
      case .opened(let endpoint, _): order[endpoint, default: []].append("opened")
      case .closed(let endpoint): order[endpoint, default: []].append("closed")
      case .datagrams(let batch):
        for datagram in batch { order[datagram.from, default: []].append("\(datagram.bytes[0])") }
      }
    }
    #expect(order[.uplink(1)] == ["opened", "0", "1", "closed", "opened"])
    #expect(order[.uplink(2)] == ["0"])
  }

  @Test func `a flood displaces itself, and no datagram of an uplink that sends little is lost`()
    async throws
  {
    let inbox = UplinkInbox()
    // Given floods that fill the queue
    let floods = UInt64(UplinkInbox.bound / UplinkInbox.boundOfOne) + 1
    for uplink in 1...floods { deliver(UplinkInbox.boundOfOne + 10, from: uplink, to: inbox) }
    let dropped = inbox.dropped
    #expect(dropped >= 10 * (floods - 1))
    // When a hundred others send what a laptop sends
    for uplink in 100..<UInt64(200) { deliver(UplinkInbox.reserve, from: uplink, to: inbox) }
    // Then all of that arrives.
    #expect(inbox.dropped == dropped)
    inbox.finish()
    var arrived = 0
    while case .datagrams(let batch)? = await inbox.next() {
      arrived += batch.count { Self.isLaptop($0.from) }
    }
    #expect(arrived == 100 * UplinkInbox.reserve)
  }

  private static func isLaptop(_ endpoint: Endpoint) -> Bool {
    (100..<UInt64(200)).contains { endpoint == .uplink($0) }
  }

  @Test func `a reader that waits gets what arrives, and its task can be cancelled`() async {
    let inbox = UplinkInbox()
    let reader = Task { await inbox.next() }
    inbox.deliver(.opened(.uplink(1), calls: true))
    guard case .opened? = await reader.value else {
      Issue.record("no event")
      return
    }
    let cancelled = Task { await inbox.next() }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
  }
}
