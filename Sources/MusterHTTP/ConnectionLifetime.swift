internal import NIOCore

/// Ends each connection after a while, however slowly it trickles: a phone opens another.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  static let longest = TimeAmount.seconds(60)
  private var end: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    end = context.eventLoop.scheduleTask(in: Self.longest) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    context.fireChannelInactive()
  }
}
