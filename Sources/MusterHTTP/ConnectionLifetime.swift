internal import NIOCore

/// Ends each connection after a while, however slowly it trickles: a client opens another. What is
/// answered without an end asks for as long as it takes.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// What may be said to it, as an event of the pipeline.
  enum Wish: Sendable {
    case endless
  }

  static let longest = TimeAmount.seconds(60)
  private var end: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    end = context.eventLoop.scheduleTask(in: Self.longest) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case Wish.endless? = event as? Wish else {
      return context.fireUserInboundEventTriggered(event)
    }
    end?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    context.fireChannelInactive()
  }
}
