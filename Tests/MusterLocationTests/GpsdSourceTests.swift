import Foundation
import Logging
import MusterModel
import MusterTestKit
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import MusterLocation

/// Over real sockets, on loopback.
@Suite("A gpsd that comes and goes", .timeLimit(.minutes(30)))
struct GpsdSourceTests {
  /// A gpsd that sends the given lines to each client, and closes.
  private final class Speaker: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    let words: String

    init(_ words: String) { self.words = words }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard String(buffer: unwrapInboundIn(data)).hasPrefix("?WATCH=") else { return }
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: words)), promise: nil)
      context.close(promise: nil)
    }
  }

  private func speaker(_ words: String, port: Int) async throws -> any Channel {
    try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in channel.pipeline.addHandler(Speaker(words)) }
      .bind(host: "127.0.0.1", port: port).get()
  }

  /// Waits until the port is free: a child that another test starts holds the descriptors of this
  /// process, the closed socket among them, until it runs its own program.
  private func speakerAgain(_ words: String, port: Int) async throws -> any Channel {
    while true {
      do {
        return try await speaker(words, port: port)
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  private func report(latitude: Double) -> String {
    "{\"class\":\"TPV\",\"mode\":3,\"lat\":\(latitude),\"lon\":7.5,\"eph\":4.5}\r\n"
  }

  private func latitudes(_ events: [SourceEvent]) -> [Double] {
    events.compactMap { event in
      if case .reading(.fix(let fix)) = event { fix.position.latitude } else { nil }
    }
  }

  @Test func `fixes go on after gpsd was killed and started again`() async throws {
    let (events, delivery) = AsyncStream.makeStream(of: SourceEvent.self)
    let words = "{\"class\":\"VERSION\"}\r\n"
    let port = Int(try FreePort.next())
    let first = try await speaker(
      words + "{garbage\r\n" + String(repeating: "x", count: 20_000) + "\r\n"
        + report(latitude: 46), port: port)
    let source = GpsdSource(
      host: "127.0.0.1", port: port, logger: Logger(label: "test"), random: { 0 },
      deliver: { delivery.yield($0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await source.run() }
      var received: [SourceEvent] = []
      var again: (any Channel)?
      for await event in events {
        received.append(event)
        if latitudes(received).contains(46), again == nil {
          try await first.close()
          again = try await speakerAgain(words + report(latitude: 47), port: port)
        }
        if latitudes(received).contains(47) { break }
      }
      #expect(received.contains(.reading(.refused(.malformed))))
      #expect(received.contains(.reading(.refused(.tooLong))))
      #expect(received.contains(.state(.waiting)))
      #expect(received.count { $0 == .state(.connected) } >= 2)
      group.cancelAll()
      try await again?.close()
    }
  }
}
