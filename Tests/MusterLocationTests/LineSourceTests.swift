import Foundation
import Logging
import MusterLocation
import MusterTestKit
import Testing

/// Over real sockets, on loopback.
@Suite(.timeLimit(.minutes(15)))
struct LineSourceTests {
  @Test func `a child process does not inherit the socket of datagrams`() async throws {
    let (events, delivery) = AsyncStream.makeStream(of: LineEvent.self)
    let port = Int(try FreePort.next())
    let source = LineSource(
      .datagrams(host: "127.0.0.1", port: port), longest: 512, logger: Logger(label: "test"),
      random: { 0 }, deliver: { delivery.yield($0) })
    let running = Task { try await source.run() }
    defer { running.cancel() }
    for await event in events where event == .state(.connected) { break }
    let flags = (0..<4096).filter { Self.port(of: $0) == port }.map { fcntl($0, F_GETFD) }
    #expect(!flags.isEmpty)
    #expect(flags.allSatisfy { $0 & FD_CLOEXEC != 0 })
  }

  private static func port(of descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0, address.sin_family == AF_INET else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
