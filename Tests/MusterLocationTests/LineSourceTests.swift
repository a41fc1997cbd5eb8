import Logging
import MusterLocation
import MusterTestKit
import Testing

/// Over real sockets, on loopback.
@Suite(.timeLimit(.minutes(30)))
struct LineSourceTests {
  @Test func `a child process does not inherit the socket of datagrams`() async throws {
    let (events, delivery) = AsyncStream.makeStream(of: LineEvent.self)
    let port = try FreePort.next()
    let source = LineSource(
      .datagrams(host: "127.0.0.1", port: Int(port)), longest: 512, logger: Logger(label: "test"),
      random: { 0 }, deliver: { delivery.yield($0) })
    let running = Task { try await source.run() }
    defer { running.cancel() }
    for await event in events where event == .state(.connected) { break }
    #expect(OpenSockets.areClosedInChildren(onPort: port))
  }

  @Test func `a child process does not inherit the socket of NMEA datagrams`() async throws {
    let source = try await NMEADatagramSource.bind(
      host: "127.0.0.1", port: 0, logger: Logger(label: "test"), deliver: { _ in })
    #expect(source.port != 0)
    #expect(OpenSockets.areClosedInChildren(onPort: UInt16(source.port)))
    let running = Task { try await source.run() }
    running.cancel()
    _ = await running.result
  }
}
