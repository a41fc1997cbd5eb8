import Hummingbird
import Logging
@testable import MusterHTTP
import MusterModel
import MusterTransport
import NIOSSL
import Testing

/// Row A7 of the fault list, towards the command post: a client outside the operation receives
/// nothing of value, and costs little.
struct CommandPostServerTests {
  private static let modern = (least: TLSVersion.tlsv12, most: TLSVersion.tlsv13)
  private static let request =
    "POST /uplink HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\n"
    + "transfer-encoding: chunked\r\n\r\n"

  private static func identity() throws -> UplinkIdentity {
    try UplinkIdentity(seed: { [$0] + [UInt8](repeating: 5, count: 31) }, named: [])
  }

  /// Runs a listener for the body of a test, and then stops it.
  ///
  /// - Parameters:
  ///   - identity: that of the uplinks; nil for a new one.
  ///   - browsers: the certificate for browsers; nil for that of uplinks.
  ///   - mostConnections: the most of all connections, and without an accepted request.
  private func serving(
    as identity: UplinkIdentity? = nil, browsers: BrowserIdentity? = nil,
    mostConnections: (all: Int, pending: Int) = (512, 256),
    _ story: (_ port: Int, _ uplinks: UplinkSwitch) async throws -> Void
  ) async throws {
    let uplinks = UplinkSwitch(targets: [])
    let identity = try identity ?? Self.identity()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let server = CommandPostServer(
      host: "127.0.0.1", port: 0,
      identities: .init(uplinks: identity, browsers: browsers), uplinks: uplinks, logger: logger,
      mostConnections: mostConnections.all, mostPending: mostConnections.pending
    ) { _, _ in Response(status: .notFound) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      var port: Int?
      try await eventually("it listens") {
        port = (uplinks.summary?.serves.split(separator: ":").last).flatMap { Int($0) }
        return port != nil
      }
      try await story(try #require(port), uplinks)
      uplinks.dismissGuests()
      group.cancelAll()
    }
  }

  private func eventually(
    _ what: String, within limit: Duration = .seconds(900), _ holds: () async throws -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !holds() {
      try #require(ContinuousClock.now < deadline, "not within \(limit): \(what)")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test func `a client without TLS, or with an old version, is not answered`() async throws {
    try await serving { port, _ in
      let old = try await Caller.call(port: port, tls: (.tlsv1, .tlsv11))
      await old.send(Self.request)
      try await eventually("the old one is sent away") { old.received.hasEnded }
      #expect(old.received.text.isEmpty)
      let plain = try await Caller.call(port: port, tls: nil)
      await plain.send(Self.request)
      try await eventually("the plain one is sent away") { plain.received.hasEnded }
      #expect(!plain.received.text.contains("HTTP"))
    }
  }

  @Test(arguments: [([], true), (["http/1.1"], true), (["h2", "http/1.1"], false)])
  func `uplinks receive the pinned certificate, browsers one with names`(
    protocols: [String], isPinned: Bool
  ) async throws {
    let names = [try #require(BrowserName("127.0.0.1"))]
    var next: UInt8 = 0
    let browsers = try BrowserIdentity(
      names: names, now: Timestamp(milliseconds: 1_790_000_000_000)
    ) {
      next += 1
      return [UInt8](repeating: next, count: 32)
    }
    let identity = try Self.identity()
    try await serving(as: identity, browsers: browsers) { port, _ in
      let caller = try await Caller.call(port: port, tls: Self.modern, protocols: protocols)
      // In parts, so that no packet has the request alone.
      await caller.send("GET / HTTP/1.1\r\n")
      await caller.send("host: x\r\n\r\n")
      try await eventually("it is answered") { caller.received.text.contains("\r\n\r\n") }
      let certificate = try #require(try await caller.certificate())
      #expect((certificate == identity.certificate) == isPinned)
      await caller.hangUp()
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
    "GET /uplink HTTP/1.1\r\nhost: x\r\n\r\n",
    "GET /../uplink HTTP/1.1\r\nhost: x\r\n\r\n",
    "POST /uplink HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n",
    "POST /uplink HTTP/1.1\r\nhost: x\r\norigin: https://evil.example\r\n"
      + "content-type: application/octet-stream\r\ncontent-length: 0\r\n\r\n",
    "DELETE /uplink HTTP/1.1\r\nhost: x\r\n\r\n",
  ])
  func `a request that is not an uplink is not found`(request: String) async throws {
    try await serving { port, uplinks in
      let caller = try await Caller.call(port: port, tls: Self.modern)
      await caller.send(request)
      try await eventually("it is answered") { caller.received.text.contains("\r\n\r\n") }
      #expect(caller.received.text.hasPrefix("HTTP/1.1 404"), "\(caller.received.text)")
      #expect(uplinks.summary?.guests == 0)
      await caller.hangUp()
    }
  }

  @Test(arguments: [
    "\u{0}\u{1}garbage\r\n\r\n",
    "POST /uplink HTTP/1.1\r\n" + String(repeating: "x: y\r\n", count: 100) + "\r\n",
    "POST /uplink HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
  ])
  func `a malformed or too large request ends the connection`(request: String) async throws {
    try await serving { port, uplinks in
      let caller = try await Caller.call(port: port, tls: Self.modern)
      await caller.send(request)
      try await eventually("it is sent away") { caller.received.hasEnded }
      #expect(!caller.received.text.contains(" 200 "))
      #expect(uplinks.summary?.guests == 0)
    }
  }

  @Test func `invalid data on an uplink ends it`() async throws {
    try await serving { port, _ in
      let caller = try await Caller.call(port: port, tls: Self.modern)
      await caller.send(Self.request + "4\r\n\u{7F}\u{7F}ab\r\n")
      try await eventually("it is sent away") { caller.received.hasEnded }
      #expect(caller.received.text.hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func `an outsider receives only heartbeats, and is disconnected`() async throws {
    try await serving { port, uplinks in
      let silent = try await Caller.call(port: port, tls: Self.modern)
      await silent.send(Self.request)
      let loud = try await Caller.call(port: port, tls: Self.modern)
      await loud.send(Self.request)
      // 1,000 bytes that cannot be authenticated, in a chunk of 1,002.
      let chunk =
        Array("3ea\r\n".utf8) + [3, 0xE8] + [UInt8](repeating: 9, count: 1000) + [13, 10]
      var chunks = 0
      while chunks < 1000, !loud.received.hasEnded, await loud.send(chunk) { chunks += 1 }
      try await eventually("the loud one is sent away") { loud.received.hasEnded }
      try await eventually("the silent one too") { silent.received.hasEnded }
      #expect(silent.received.text.hasSuffix("2\r\n\0\0\r\n"), "\(silent.received.text)")
      #expect(uplinks.summary?.guests == 0)
      #expect(uplinks.admit(from: "127.0.0.1") != nil, "their places are free again")
    }
  }

  @Test(arguments: [false, true])
  func `clients that are slow on purpose displace one another, and no other client`(
    inTLS: Bool
  ) async throws {
    try await serving(mostConnections: (all: 16, pending: 8)) { port, uplinks in
      // Given an uplink, which is older than all that follows,
      let uplink = try await Caller.call(port: port, tls: Self.modern)
      await uplink.send(Self.request)
      try await eventually("it is accepted") { uplink.received.text.contains("\r\n\r\n") }
      // when more clients connect than the listener accepts, with the first byte of TLS, or of a
      // request,
      var slow: [Caller] = []
      for _ in 0..<32 {
        let caller = try await Caller.call(port: port, tls: inTLS ? Self.modern : nil)
        await caller.send(inTLS ? [UInt8(ascii: "P")] : [22])
        slow.append(caller)
      }
      // then the first ones are sent away at once,
      try await eventually("the first ones are sent away") {
        slow.prefix(24).allSatisfy(\.received.hasEnded)
      }
      // and the listener serves the next client, and the uplink as before.
      let next = try await Caller.call(port: port, tls: Self.modern)
      await next.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      try await eventually("it is answered") { next.received.text.contains("\r\n\r\n") }
      #expect(!uplink.received.hasEnded)
      for caller in slow + [next, uplink] { await caller.hangUp() }
    }
  }

  @Test func `one address is limited to its share of connections`() async throws {
    try await serving { port, uplinks in
      for number in 0..<UplinkSwitch.mostGuestsFromAnAddress {
        let member = try #require(uplinks.admit(from: "127.0.0.1"))
        uplinks.prove(
          member.endpoint, as: DeviceID(raw: Bytes16(high: UInt64(number), low: 0)))
      }
      let caller = try await Caller.call(port: port, tls: Self.modern)
      await caller.send(Self.request)
      try await eventually("it is answered") { caller.received.text.contains("\r\n\r\n") }
      #expect(caller.received.text.hasPrefix("HTTP/1.1 503"), "\(caller.received.text)")
      await caller.hangUp()
    }
  }
}
