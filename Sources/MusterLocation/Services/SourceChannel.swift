internal import NIOCore

/// A stream of bytes that is only read, or of datagrams.
typealias SourceChannel<Inbound: Sendable> = NIOAsyncChannel<Inbound, ByteBuffer>

/// Closes a connection from which nothing has come for a while: it may be dead, and whoever is
/// there says something to a new one.
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

/// Nothing was heard for as long as a source may be silent.
struct SourceSilent: Error {}

/// Tries again and again, with pauses that grow, until its task is cancelled.
struct Persistence: Sendable {
  /// Drawn for each pause, so that many that lost the same thing do not return in step.
  let random: @Sendable () -> UInt64

  /// - Parameter attempt: returns or throws when there is nothing more to be had; says whether
  ///   anything came of it.
  func run(_ attempt: () async throws -> Bool) async throws {
    var backoff = Backoff()
    while true {
      if try await attempt() { backoff.reset() }
      try Task.checkCancellation()
      try await Task.sleep(for: .milliseconds(backoff.next(random: random())))
    }
  }
}
