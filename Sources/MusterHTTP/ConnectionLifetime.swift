internal import NIOCore

/// Closes each connection after a fixed time, however slowly a client sends: a client may
/// reconnect. A handler with an endless response requests an exemption.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The requests to this handler, as pipeline events.
  enum ExtensionRequest: Sendable {
    case endless
    /// A file is sent or received.
    case transfer
  }

  static let longest = TimeAmount.seconds(60)
  /// From the request for a transfer: the largest picture at 900 kbit/s.
  static let longestTransfer = TimeAmount.minutes(10)
  private var end: Scheduled<Void>?

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    end = context.eventLoop.scheduleTask(in: Self.longest) { channel.close(promise: nil) }
  }

  private func prolong(_ channel: any Channel) {
    end?.cancel()
    end = channel.eventLoop.scheduleTask(in: Self.longestTransfer) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event as? ExtensionRequest {
    case .endless: end?.cancel()
    case .transfer: prolong(context.channel)
    case nil: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end?.cancel()
    context.fireChannelInactive()
  }
}
