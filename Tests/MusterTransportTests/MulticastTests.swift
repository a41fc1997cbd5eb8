import MusterModel
import MusterTransport
import Testing

/// Serialized, because nodes of two stories would receive each other.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct MulticastTests {
  private let group = MulticastGroup(port: 17_475)

  @Test(.enabled("needs IPv4 multicast") { try await takesMulticast("0.0.0.0:0") })
  func `nodes of one machine receive each other's announces and not their own`() async throws {
    try await expectReceiving("0.0.0.0:0")
  }

  @Test(.enabled("needs IPv6 multicast") { try await takesMulticast("[::]:0") })
  func `nodes of one machine receive each other's announces over IPv6`() async throws {
    try await expectReceiving("[::]:0")
  }

  private func expectReceiving(_ listen: String) async throws {
    try await withTransport(listen: listen, multicast: true, group: group) { alice in
      try await withTransport(listen: listen, multicast: true, group: group) { bob in
        alice.send([OutboundDatagram(bytes: [1], to: .multicast(nil))])
        let received = await bob.receive(1)[0]
        #expect(received.bytes == [1] && received.viaMulticast)
        #expect(received.from.port == alice.boundPort)
        // Her own returns to Alice on the same interface, before Bob's next one.
        bob.send([OutboundDatagram(bytes: [2], to: .endpoint(received.from, .unknown))])
        #expect(await alice.receive(1).map(\.bytes) == [[2]])
        while alice.counters.dropped(.ownEcho) == 0 { await Task.yield() }
      }
    }
  }

  @Test func `a node without multicast receives and sends no announces`() async throws {
    try await withTransport(listen: "0.0.0.0:0", multicast: false, group: group) { mute in
      mute.send([OutboundDatagram(bytes: [1], to: .multicast(nil))])
      #expect(await mute.countersOnceSent(1).dropped(.noInterface) == 1)
    }
  }
}

/// Whether an announce leaves this machine by any interface; to a group that no story listens to.
private func takesMulticast(_ listen: String) async throws -> Bool {
  guard try await canListen(listen) else { return false }
  return try await withTransport(
    listen: listen, multicast: true, group: MulticastGroup(port: 17_476)
  ) { transport in
    transport.send([OutboundDatagram(bytes: [1], to: .multicast(nil))])
    return await transport.countersOnceSent(1).sent > 0
  }
}
