import Foundation
import Logging
import MusterModel
import MusterTestKit
@testable import MusterTransport
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(30)))
struct UDPTransportTests {
  @Test func `two transports talk and each learns where the other is`() async throws {
    try await withTransport { alice in
      try await withTransport { bob in
        alice.send([OutboundDatagram(bytes: [1, 2, 3], to: .endpoint(bob.endpoint, .unknown))])
        let received = await bob.receive(1)
        #expect(
          received == [
            ReceivedDatagram(
              bytes: [1, 2, 3], from: alice.endpoint, viaMulticast: false, link: loopback)
          ])

        bob.send([OutboundDatagram(bytes: [4], to: .endpoint(received[0].from, .unknown))])
        #expect(await alice.receive(1).map(\.bytes) == [[4]])
        #expect(alice.counters.sent == 1 && alice.counters.sentBytes == 3)
        #expect(alice.counters.received == 1 && alice.counters.receivedBytes == 1)
        #expect(alice.counters.droppedInAll == 0)
      }
    }
  }

  @Test(.enabled("needs IPv6") { try await canListen("[::1]:0") })
  func `two transports talk over IPv6 when the machine has it`() async throws {
    try await withTransport(listen: "[::1]:0") { alice in
      try await withTransport(listen: "[::1]:0") { bob in
        alice.send([OutboundDatagram(bytes: [6], to: .endpoint(bob.endpoint, .unknown))])
        #expect(
          await bob.receive(1)
            == [
              ReceivedDatagram(
                bytes: [6], from: alice.endpoint, viaMulticast: false, link: loopback)
            ])
      }
    }
  }

  @Test(
    .enabled("needs IPv6") { try await canListen("[::1]:0") }, arguments: ["0.0.0.0:0", "[::]:0"])
  func `a wildcard of either family listens on both and sends by both`(listen: String) async throws
  {
    try await withTransport(listen: listen) { both in
      #expect(await both.listeningEndpoints().map(\.family).count == 2)
      try await withTransport(listen: "127.0.0.1:0") { old in
        try await withTransport(listen: "[::1]:0") { new in
          for (peer, byte) in [(old, UInt8(4)), (new, 6)] {
            let own = try #require(
              both.localEndpoints().first { $0.isLoopback && $0.family == peer.endpoint.family })
            peer.send([OutboundDatagram(bytes: [byte], to: .endpoint(own, .unknown))])
            let received = await both.receive(1)
            #expect(received.map(\.bytes) == [[byte]] && received[0].from == peer.endpoint)
            both.send([OutboundDatagram(bytes: [byte], to: .endpoint(received[0].from, .unknown))])
            #expect(await peer.receive(1).map(\.bytes) == [[byte]])
          }
        }
      }
    }
  }

  @Test(arguments: ["127.0.0.1", "0.0.0.0"])
  func `a taken port is reported at once, with what to do`(host: String) async throws {
    try await withTransport(listen: "\(host):0") { first in
      let text = "\(host):\(first.boundPort)"
      let second = try UDPConfiguration(listen: text)
      let refusal = await #expect(throws: TransportError.self) {
        try await UDPTransport.bind(configuration: second, logger: quiet)
      }
      #expect(refusal == .addressInUse(text))
      #expect(
        refusal?.description
          == "UDP port \(first.boundPort) is taken: another node? choose another with --listen")
    }
  }

  @Test func `an address of another machine cannot be listened on`() async throws {
    // 198.51.100.0/24 is set aside for documentation (RFC 5737).
    let foreign = try UDPConfiguration(listen: "198.51.100.77:7474")
    await #expect(throws: TransportError.addressNotAvailable("198.51.100.77:7474")) {
      try await UDPTransport.bind(configuration: foreign, logger: quiet)
    }
  }

  @Test func `a port is free again once its transport has closed`() async throws {
    try await eventually("a port is free again", within: .seconds(900)) {
      try await isFree(try await withTransport { $0.boundPort })
    }
  }

  /// False if another process holds a copy of the socket: one that another test started in the
  /// moment in which the socket was open. The next socket has another port.
  private func isFree(_ port: UInt16) async throws -> Bool {
    do {
      try await withTransport(listen: "127.0.0.1:\(port)") { #expect($0.boundPort == port) }
      return true
    } catch TransportError.addressInUse {
      return false
    }
  }

  @Test func `a child process does not inherit the socket`() async throws {
    try await withTransport { transport in
      #expect(OpenSockets.areClosedInChildren(onPort: transport.boundPort))
    }
  }

  @Test func `many datagrams arrive in order, in batches of bounded size`() async throws {
    try await withTransport { alice in
      try await withTransport { bob in
        let sent = (0..<200).map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        alice.send(sent.map { OutboundDatagram(bytes: $0, to: .endpoint(bob.endpoint, .unknown)) })
        var received: [[UInt8]] = []
        var batches = 0
        for await batch in bob.datagrams {
          #expect(!batch.isEmpty && batch.count <= Limits.inputsPerBatch)
          batches += 1
          received += batch.map(\.bytes)
          if received.count == sent.count { break }
        }
        #expect(received == sent)
        #expect(batches < sent.count)
        #expect(bob.counters.received == 200)
      }
    }
  }

  @Test func `the largest datagram allowed passes and an empty one does no harm`() async throws {
    try await withTransport { alice in
      try await withTransport { bob in
        let largest = [UInt8](repeating: 0xA5, count: Limits.largestDatagramBytes)
        alice.send([
          OutboundDatagram(bytes: [], to: .endpoint(bob.endpoint, .unknown)),
          OutboundDatagram(bytes: largest, to: .endpoint(bob.endpoint, .unknown)),
        ])
        #expect(await bob.receive(2).map(\.bytes) == [[], largest])
      }
    }
  }

  @Test func `a longer datagram from elsewhere is dropped and counted, and the loop goes on`()
    async throws
  {
    try await withTransport { bob in
      let stranger = try RawSender()
      for size in [Limits.largestDatagramBytes + 1, 1536, 1537, 9000, 60_000] {
        try stranger.send([UInt8](repeating: 7, count: size), to: bob.endpoint)
      }
      try stranger.send([8], to: bob.endpoint)
      #expect(await bob.receive(1).map(\.bytes) == [[8]])
      #expect(bob.counters.dropped(.oversize) == 5)
    }
  }

  @Test func `a peer that is gone costs nothing but its datagrams`() async throws {
    let gone = try await withTransport { $0.endpoint }
    try await withTransport { alice in
      try await withTransport { bob in
        for _ in 0..<20 {
          alice.send([OutboundDatagram(bytes: [0], to: .endpoint(gone, .unknown))])
        }
        alice.send([OutboundDatagram(bytes: [1], to: .endpoint(bob.endpoint, .unknown))])
        #expect(await bob.receive(1).map(\.bytes) == [[1]])
        bob.send([OutboundDatagram(bytes: [2], to: .endpoint(alice.endpoint, .unknown))])
        #expect(await alice.receive(1).map(\.bytes) == [[2]])
        #expect(alice.counters.socketErrors == 0)
      }
    }
  }

  @Test func `an address with no route is counted, and the socket stays open`() async throws {
    try await withTransport { alice in
      try await withTransport { bob in
        // From a loopback address nothing beyond this machine can be reached.
        let far = try #require(Endpoint(address: [198, 51, 100, 77], port: 7474))
        let nowhere = try #require(Endpoint(address: [255, 255, 255, 255], port: 7474))
        alice.send([
          OutboundDatagram(bytes: [0], to: .endpoint(far, .unknown)),
          OutboundDatagram(bytes: [0], to: .endpoint(nowhere, .unknown)),
          OutboundDatagram(bytes: [1], to: .endpoint(bob.endpoint, .unknown)),
        ])
        #expect(await bob.receive(1).map(\.bytes) == [[1]])
        let counters = await alice.countersOnceSent(3)
        #expect(counters.sent == 1)
        #expect(counters.droppedInAll == 2)
      }
    }
  }

  @Test func `the port of the multicast groups is not taken as the node's own`() throws {
    for listen in ["0.0.0.0:7475", "[::]:7475"] {
      #expect {
        try UDPConfiguration(listen: listen)
      } throws: {
        "\($0)".contains("7475 is for discovery")
      }
    }
  }

  @Test func `the other IP family and announces without an interface are dropped and counted`()
    async throws
  {
    try await withTransport { alice in
      try await withTransport { bob in
        let ipv6 = try #require(
          Endpoint(address: [UInt8](repeating: 0, count: 15) + [1], port: bob.boundPort))
        alice.send([
          OutboundDatagram(bytes: [0], to: .endpoint(ipv6, .unknown)),
          OutboundDatagram(bytes: [0], to: .multicast(nil)),
          OutboundDatagram(bytes: [1], to: .endpoint(bob.endpoint, .unknown)),
        ])
        #expect(await bob.receive(1).map(\.bytes) == [[1]])
        let counters = await alice.countersOnceSent(3)
        #expect(counters.dropped(.otherFamily) == 1)
        #expect(counters.dropped(.noInterface) == 1)
      }
    }
  }

  @Test func `a slow reader loses the newest datagrams beyond the bound, each counted`()
    async throws
  {
    try await withTransport { alice in
      try await withTransport { bob in
        // Bob reads nothing until his transport has taken or dropped everything that arrived.
        var arrived: UInt64 = 0
        var sent: UInt64 = 0
        while bob.counters.dropped(.readerBehind) == 0 {
          alice.send(
            (0..<50).map { _ in OutboundDatagram(bytes: [9], to: .endpoint(bob.endpoint, .unknown))
            })
          sent += 50
          while arrived < sent {
            await Task.yield()
            arrived = bob.counters.received
          }
        }
        // A drop is counted just after the arrival.
        let bound = UInt64(UDPTransport.receiveBound)
        while arrived - bob.counters.dropped(.readerBehind) > bound { await Task.yield() }
        #expect(arrived - bob.counters.dropped(.readerBehind) == bound)
        #expect(await bob.receive(UDPTransport.receiveBound).count == UDPTransport.receiveBound)
      }
    }
  }

  @Test func `more than may wait for the event loop is dropped whole and counted`() async throws {
    try await withTransport { alice in
      let one = OutboundDatagram(bytes: [1], to: .endpoint(alice.endpoint, .unknown))
      alice.send(Array(repeating: one, count: UDPTransport.sendBound + 1))
      #expect(alice.counters.dropped(.senderBehind) == UInt64(UDPTransport.sendBound + 1))
      alice.send([one])
      #expect(await alice.receive(1).map(\.bytes) == [[1]])
    }
  }

  @Test func `what is sent after closing is counted as dropped, and the reader ends`() async throws
  {
    let transport = try await UDPTransport.bind(
      configuration: UDPConfiguration(listen: "127.0.0.1:0"), logger: quiet)
    let endpoint = transport.endpoint
    await transport.close()
    await transport.close()
    transport.send([OutboundDatagram(bytes: [1], to: .endpoint(endpoint, .unknown))])
    #expect(await transport.receive(1).isEmpty)
    #expect(await transport.countersOnceSent(1).dropped(.socketClosed) == 1)
  }

  @Test func `a graceful shutdown closes the sockets and ends the reader`() async throws {
    try await eventually("a port is free again", within: .seconds(900)) {
      let transport = try await UDPTransport.bind(
        configuration: UDPConfiguration(listen: "127.0.0.1:0"), logger: quiet)
      let group = ServiceGroup(services: [transport], logger: quiet)
      async let running: Void = group.run()
      transport.send([OutboundDatagram(bytes: [1], to: .endpoint(transport.endpoint, .unknown))])
      #expect(await transport.receive(1).map(\.bytes) == [[1]])

      await group.triggerGracefulShutdown()
      try await running
      #expect(await transport.receive(1).isEmpty)
      return try await isFree(transport.boundPort)
    }
  }

  @Test func `a socket that closed by itself is opened again on the same port`() async throws {
    try await withTransport { alice in
      try await withTransport { bob in
        let broken = try #require(await bob.onEventLoop { $0.unicast[.ipv4] })
        try await broken.close()
        bob.send([OutboundDatagram(bytes: [0], to: .endpoint(alice.endpoint, .unknown))])
        #expect(await bob.countersOnceSent(1).dropped(.socketClosed) == 1)

        await bob.rescan()
        alice.send([OutboundDatagram(bytes: [1], to: .endpoint(bob.endpoint, .unknown))])
        #expect(await bob.receive(1).map(\.bytes) == [[1]])
        #expect(bob.counters.rebuiltSockets == 1)
      }
    }
  }

  @Test func `a reader whose task is cancelled ends`() async throws {
    try await withTransport { transport in
      let reader = Task { await transport.receive(1) }
      reader.cancel()
      #expect(await reader.value.isEmpty)
    }
  }

  @Test func `a wildcard lists this machine's addresses, loopback last`() async throws {
    try await withTransport(listen: "0.0.0.0:0") { transport in
      let endpoints = transport.localEndpoints()
      let firstLoopback = try #require(endpoints.firstIndex(where: { $0.isLoopback }))
      #expect(endpoints[firstLoopback].address == [127, 0, 0, 1])
      #expect(endpoints.allSatisfy { $0.port == transport.boundPort })
      #expect(endpoints[firstLoopback...].allSatisfy { $0.isLoopback })
      // The family that was named comes first.
      #expect(endpoints.first?.family == .ipv4)
    }
  }
}
