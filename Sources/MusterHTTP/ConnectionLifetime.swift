internal import NIOCore

/// Closes each connection after a fixed time, however slowly a client sends: a client may
/// reconnect. A handler with an endless response requests an exemption.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The requests to this handler, as pipeline events.
  enum ExtensionRequest: Sendable {
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
    guard case ExtensionRequest.endless? = event as? ExtensionRequest else {
      return context.fireUserInboundEventTriggered(event)
    }
    end?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    context.fireChannelInactive()
  }
}
