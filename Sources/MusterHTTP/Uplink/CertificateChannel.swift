internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL

/// A connection of HTTP over TLS, with the certificate that suits the client: browsers need one
/// with the names of the machine, and uplinks compare theirs byte for byte.
///
/// The client is known by the protocols that it offers: browsers offer HTTP/2, uplinks HTTP/1.1
/// alone.
struct CertificateChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  let base: HTTP1Channel
  let browsers: NIOSSLContext
  let others: NIOSSLContext

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(
        CertificateSelector(browsers: browsers, others: others))
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Value, logger: Logger) async {
    await base.handle(value: value, logger: logger)
  }
}

/// Collects a client's first message, and replaces itself by TLS with the certificate for it. The
/// channel's idle timeout ends connections that never complete it.
private final class CertificateSelector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let browsers: NIOSSLContext
  private let others: NIOSSLContext
  private var received = ByteBuffer()

  init(browsers: NIOSSLContext, others: NIOSSLContext) {
    (self.browsers, self.others) = (browsers, others)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received.writeImmutableBuffer(unwrapInboundIn(data))
    switch ClientHello.read(received.readableBytesView.prefix(ClientHello.mostBytes)) {
    case .incomplete: break
    // TLS rejects it.
    case .invalid: start(others, context)
    case .complete(let hello): start(hello.isOfBrowser ? browsers : others, context)
    }
  }

  private func start(_ chosen: NIOSSLContext, _ context: ChannelHandlerContext) {
    do {
      try context.pipeline.syncOperations.addHandler(
        NIOSSLServerHandler(context: chosen), position: .after(self))
    } catch {
      return context.fireErrorCaught(error)
    }
    context.fireChannelRead(wrapInboundOut(received))
    context.fireChannelReadComplete()
    received.clear()
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }
}
