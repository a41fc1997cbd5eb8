import Hummingbird
import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP

/// How long a connection lasts, by a virtual clock.
@Suite struct ConnectionLifetimeTests {
  private static func channel(
    pending: PendingConnections? = nil
  ) async throws -> NIOAsyncTestingChannel {
    let channel = try await NIOAsyncTestingChannel { channel in
      try channel.pipeline.syncOperations.addHandler(ConnectionLifetime(pending: pending))
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    return channel
  }

  private func isOpen(_ channel: NIOAsyncTestingChannel, after seconds: Int64) async -> Bool {
    await channel.testingEventLoop.advanceTime(by: .seconds(seconds))
    return channel.isActive
  }

  @Test func `a busy connection does not end, an unused one after a minute`() async throws {
    let channel = try await Self.channel()
    let connection = Connection(channel: channel)
    for _ in 0..<100 {
      #expect(await isOpen(channel, after: 59))
      connection.renew(after: Response(status: .ok))
    }
    #expect(await isOpen(channel, after: 59))
    #expect(await !isOpen(channel, after: 1))
  }

  @Test(arguments: [HTTPResponse.Status.unauthorized, .forbidden, .notFound, .tooManyRequests])
  func `rejected requests do not prolong a connection`(
    status: HTTPResponse.Status
  ) async throws {
    let channel = try await Self.channel()
    let connection = Connection(channel: channel)
    #expect(await isOpen(channel, after: 30))
    connection.renew(after: Response(status: status))
    #expect(await isOpen(channel, after: 29))
    #expect(await !isOpen(channel, after: 1))
  }

  @Test func `a connection from another machine without a request ends after seconds`()
    async throws
  {
    let silent = try await Self.channel(pending: PendingConnections(bound: 2))
    #expect(await isOpen(silent, after: 14))
    #expect(await !isOpen(silent, after: 1))
    // One with a request has the minute of every client.
    let asking = try await Self.channel(pending: PendingConnections(bound: 2))
    #expect(await isOpen(asking, after: 14))
    try await asking.writeInbound(ByteBuffer(string: "GET"))
    #expect(await isOpen(asking, after: 45))
    #expect(await !isOpen(asking, after: 1))
  }

  @Test func `an answer of a transfer or of a stream does not shorten its time`() async throws {
    let transfer = try await Self.channel()
    Connection(channel: transfer).keepOpenForTransfer()
    Connection(channel: transfer).renew(after: Response(status: .created))
    #expect(await isOpen(transfer, after: 599))
    #expect(await !isOpen(transfer, after: 1))
    let stream = try await Self.channel()
    Connection(channel: stream).keepOpen()
    Connection(channel: stream).renew(after: Response(status: .ok))
    #expect(await isOpen(stream, after: 86_400))
  }
}
