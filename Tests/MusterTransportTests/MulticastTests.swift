import MusterModel
import MusterTransport
import Testing

/// Serialized, because nodes of two stories would hear each other.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct MulticastTests {
  private let group = MulticastGroup(port: 17_475)

  @Test(arguments: ["0.0.0.0:0", "[::]:0"])
  func `nodes of one machine hear each other's announces and not their own`(listen: String)
    async throws
  {
    try await withTransport(listen: listen, multicast: true, group: group) { alice in
      try await withTransport(listen: listen, multicast: true, group: group) { bob in
        alice.send([OutboundDatagram(bytes: [1], to: .multicast(nil))])
        guard await alice.countersOnceSent(1).sent > 0 else {
          print("skipped: no interface of this machine takes multicast for \(listen)")
          return
        }
        let heard = await bob.receive(1)[0]
        #expect(heard.bytes == [1] && heard.viaMulticast)
        #expect(heard.from.port == alice.boundPort)
        // Her own comes back to Alice by the same interface, before what Bob says next.
        bob.send([OutboundDatagram(bytes: [2], to: .endpoint(heard.from, .unknown))])
        #expect(await alice.receive(1).map(\.bytes) == [[2]])
        while alice.counters.dropped(.ownEcho) == 0 { await Task.yield() }
      }
    }
  }

  @Test func `a node without multicast hears and sends no announces`() async throws {
    try await withTransport(listen: "0.0.0.0:0", multicast: false, group: group) { mute in
      mute.send([OutboundDatagram(bytes: [1], to: .multicast(nil))])
      #expect(await mute.countersOnceSent(1).dropped(.noInterface) == 1)
    }
  }
}
