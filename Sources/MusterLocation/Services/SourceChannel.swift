internal import MusterModel
internal import MusterTransport
internal import NIOCore
internal import NIOPosix

/// A read-only channel of bytes or datagrams.
typealias SourceChannel<Inbound: Sendable> = NIOAsyncChannel<Inbound, ByteBuffer>

extension SourceChannel<AddressedEnvelope<ByteBuffer>> {
  /// Opens a socket for datagrams. Returns it with the port that it is bound to.
  static func bind(host: String, port: Int) async throws -> (channel: Self, port: Int) {
    let bound = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.closeOnExec()
          return try Self(wrappingChannelSynchronously: channel)
        }
      }
    // The initializer above runs before the socket has its port.
    return (bound, bound.channel.localAddress?.port ?? port)
  }
}

/// Closes a connection after a read timeout: it may be dead, and a live source answers a new one.
final class SilenceHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    context.fireErrorCaught(SourceSilent())
    context.close(promise: nil)
  }
}

/// A read timeout of a source.
struct SourceSilent: Error {}

/// Retries an operation with backoff until its task is cancelled.
struct Persistence: Sendable {
  /// The source of jitter, so that many clients of one source do not reconnect simultaneously.
  let random: @Sendable () -> UInt64

  /// Runs the loop.
  ///
  /// - Parameter attempt: returns or throws when the connection ends; returns whether anything was
  ///   received.
  func run(_ attempt: () async throws -> Bool) async throws {
    // A receiver that returns is found within seconds.
    var backoff = Backoff(first: .milliseconds(500), longest: .seconds(15))
    while true {
      if try await attempt() { backoff.reset() }
      try Task.checkCancellation()
      try await Task.sleep(for: backoff.next(random: random()))
    }
  }
}
