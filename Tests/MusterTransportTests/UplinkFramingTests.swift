import MusterModel
import NIOCore
import Testing

@testable import MusterTransport

struct UplinkFramingTests {
  private func framed(_ datagrams: [[UInt8]]) -> ByteBuffer {
    var buffer = ByteBuffer()
    for datagram in datagrams { UplinkFraming.append(datagram, to: &buffer) }
    return buffer
  }

  @Test func `datagrams come out as they went in, wherever the body is cut`() throws {
    let datagrams = [[1], [UInt8](repeating: 2, count: Limits.largestDatagramBytes), [3, 4]]
    let whole = framed(datagrams)
    for cut in 0...whole.readableBytes {
      var framing = UplinkFraming()
      var (rest, found) = (whole, [[UInt8]]())
      let head = rest.readSlice(length: cut)
      found += try framing.read(try #require(head))
      found += try framing.read(rest)
      #expect(found == datagrams, "cut at \(cut)")
    }
  }

  @Test func `golden bytes: length in two bytes, and zero is a keepalive`() throws {
    #expect(Array(buffer: framed([[0xAA, 0xBB]])) == [0, 2, 0xAA, 0xBB])
    var framing = UplinkFraming()
    let found = try framing.read(ByteBuffer(bytes: UplinkFraming.beat + [0, 1, 9, 0, 0]))
    #expect(found == [[9]])
  }

  @Test(arguments: [Limits.largestDatagramBytes + 1, 65_535])
  func `a length beyond a datagram is rubbish`(length: Int) {
    var framing = UplinkFraming()
    #expect(throws: UplinkFault.rubbish) {
      try framing.read(ByteBuffer(bytes: [UInt8(length >> 8), UInt8(length & 255)]))
    }
  }

  @Test func `words of a web server are rubbish`() {
    var framing = UplinkFraming()
    #expect(throws: UplinkFault.rubbish) { try framing.read(ByteBuffer(string: "<html>")) }
  }
}

struct UplinkAddressTests {
  @Test(arguments: [
    ("https://post.example", "https://post.example:7443"),
    ("https://192.0.2.1:443/", "https://192.0.2.1:443"),
    ("HTTPS://[2001:db8::1]", "https://[2001:db8::1]:7443"),
    ("https://[::1]:8443", "https://[::1]:8443"),
  ])
  func `a command post is named by host and port`(text: String, means: String) throws {
    #expect(try UplinkTarget(text).description == means)
  }

  @Test(arguments: [
    "", "post.example:7443", "http://post.example", "https://", "https://post:0",
    "https://post:7443/elsewhere", "https://user@post", "https://post:x", "https://a b",
    "https://post?x", "https://2001:db8::1", "https://post\u{0}",
  ])
  func `anything else is refused`(text: String) {
    #expect(throws: TransportError.self) { try UplinkTarget(text) }
  }

  @Test func `a proxy is for all but those that are left out`() throws {
    let proxy = try UplinkProxy(
      "http://mia:s3:cret@10.0.0.1:3128/", except: "localhost, .example.org,192.0.2.7")
    #expect(proxy.host == "10.0.0.1")
    #expect(proxy.port == 3128)
    for host in ["localhost", "post.example.org", "example.org", "192.0.2.7", "POST.EXAMPLE.ORG"] {
      #expect(!proxy.isFor(host), "\(host)")
    }
    for host in ["post.example", "badexample.org", "192.0.2.70"] {
      #expect(proxy.isFor(host), "\(host)")
    }
    let forNobody = try UplinkProxy("p:1", except: "*")
    #expect(!forNobody.isFor("anything"))
    for text in ["", "p", "socks5://p:1", "https://p:1", "http://p:0"] {
      #expect(throws: TransportError.self, "\(text)") { try UplinkProxy(text, except: "") }
    }
  }
}

struct UplinkSwitchTests {
  @Test func `so many members come, from one address and in all, and no more`() throws {
    let uplinks = UplinkSwitch(targets: [])
    func admit(from address: String, as device: UInt64) throws -> UplinkConnection {
      let connection = try #require(uplinks.admit(from: address))
      uplinks.prove(connection.endpoint, as: DeviceID(raw: Bytes16(high: device, low: 0)))
      return connection
    }
    var first: [UplinkConnection] = []
    for number in 0..<UplinkSwitch.mostGuestsFromAnAddress {
      first.append(try admit(from: "192.0.2.1", as: UInt64(number)))
    }
    #expect(uplinks.admit(from: "192.0.2.1") == nil)
    uplinks.end(first[0])
    uplinks.end(first[0])
    _ = try admit(from: "192.0.2.1", as: 1000)
    #expect(uplinks.admit(from: "192.0.2.1") == nil)
    for number in UplinkSwitch.mostGuestsFromAnAddress..<UplinkSwitch.mostGuests {
      _ = try admit(from: "10.0.0.\(number)", as: UInt64(number))
    }
    #expect(uplinks.admit(from: "10.1.0.1") == nil)
  }

  @Test func `a client that does not authenticate makes room for the next one`() async throws {
    let uplinks = UplinkSwitch(targets: [])
    let first = try #require(uplinks.admit(from: "192.0.2.1"))
    for _ in 0..<UplinkSwitch.mostGuestsFromAnAddress {
      #expect(uplinks.admit(from: "192.0.2.1") != nil)
    }
    // Its stream of data ends, and it has no place that its end could free.
    for await _ in first.chunks {}
    uplinks.end(first)
    #expect(uplinks.admit(from: "192.0.2.1") != nil)
  }

  @Test func `an unauthenticated client may send little`() throws {
    let connection = try #require(UplinkSwitch(targets: []).admit(from: ""))
    var said = ByteBuffer()
    while said.readableBytes <= UplinkConnection.bytesBeforeProof {
      UplinkFraming.append([UInt8](repeating: 1, count: 1000), to: &said)
    }
    #expect(throws: UplinkFault.stranger) { try connection.take(said) }
    let proven = try #require(UplinkSwitch(targets: []).admit(from: ""))
    proven.prove()
    let taken = try proven.take(said)
    #expect(taken.count == 66)
    // Once its session has ended, it is a client like any other.
    proven.doubt()
    #expect(throws: UplinkFault.stranger) { try proven.take(said) }
  }

  @Test func `what finds no room is dropped, and the rest leaves in order`() async throws {
    let uplinks = UplinkSwitch(targets: [])
    let connection = try #require(uplinks.admit(from: ""))
    for number in 0..<UplinkConnection.bound + 5 {
      uplinks.send([UInt8(number & 255), UInt8(number >> 8)], to: connection.endpoint)
    }
    uplinks.send([1], to: .uplink(77))
    #expect(uplinks.dropped == 6)
    var framing = UplinkFraming()
    var left: [[UInt8]] = []
    for await chunk in connection.chunks {
      #expect(chunk.readableBytes <= UplinkConnection.chunkBytes)
      left += try framing.read(chunk)
      if left.count == UplinkConnection.bound { connection.close() }
    }
    #expect(left.map { Int($0[0]) | Int($0[1]) << 8 } == Array(0..<UplinkConnection.bound))
  }

  /// The body of a request: each piece is one datagram.
  private func body(_ datagrams: [[UInt8]]) -> AsyncStream<ByteBuffer> {
    AsyncStream { continuation in
      for datagram in datagrams {
        var piece = ByteBuffer()
        UplinkFraming.append(datagram, to: &piece)
        continuation.yield(piece)
      }
      continuation.finish()
    }
  }

  @Test func `a listener of several nodes passes each uplink to the one it is for`() async throws {
    let (flood, storm) = (UplinkSwitch(targets: []), UplinkSwitch(targets: []))
    let listener = UplinkSwitch(routing: [
      UplinkRoute(to: flood) { $0.first == 1 }, UplinkRoute(to: storm) { $0.first == 2 },
    ])
    // When one uplink begins with a datagram for the second node
    let connection = try #require(listener.admit(from: "192.0.2.1"))
    await #expect(throws: UplinkFault.ended) {
      try await listener.carry(connection, incoming: body([[2, 0], [1, 1]])) { _ in }
    }
    listener.end(connection)
    // and another one with a datagram for none
    let stranger = try #require(listener.admit(from: "192.0.2.1"))
    await #expect(throws: UplinkFault.stranger) {
      try await listener.carry(stranger, incoming: body([[3, 0], [2, 1]])) { _ in }
    }
    listener.end(stranger)
    for uplinks in [flood, storm] { uplinks.close() }
    // Then that node has all of the first, from its beginning to its end. No node has the second.
    var events: [String] = []
    for await event in storm.events {
      switch event {
      case .opened(let endpoint, let calls):
        #expect(endpoint == connection.endpoint && !calls)
        events.append("opened")
      case .closed(let endpoint):
        #expect(endpoint == connection.endpoint)
        events.append("closed")
      case .datagrams(let datagrams):
        #expect(datagrams.allSatisfy { $0.from == connection.endpoint })
        events += datagrams.map { "\($0.bytes)" }
      }
    }
    #expect(events == ["opened", "[2, 0]", "[1, 1]", "closed"])
    for await event in flood.events { Issue.record("\(event)") }
  }
}
