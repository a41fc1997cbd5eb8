internal import NIOCore

/// Closes a connection a minute after its last accepted request, however slowly a client sends: a
/// client may reconnect. A handler with an endless response requests an exemption.
///
/// A connection whose requests are all rejected ends a minute after it began.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The requests to this handler, as pipeline events.
  enum ExtensionRequest: Sendable {
    /// A request was accepted.
    case accepted
    /// A file is sent or received.
    case transfer
    case endless
  }

  static let longest = TimeAmount.seconds(60)
  /// From the request for a transfer: the largest picture at 900 kbit/s.
  static let longestTransfer = TimeAmount.minutes(10)
  /// Nil for a connection without an end.
  private var deadline: NIODeadline?
  private var check: Scheduled<Void>?
  private let pending: PendingConnections?
  /// Its number among those; nil once a request was accepted.
  private var pendingNumber: UInt64?

  /// - Parameter pending: nil for a listener that only this machine reaches.
  init(pending: PendingConnections? = nil) { self.pending = pending }

  func handlerAdded(context: ChannelHandlerContext) {
    pendingNumber = pending?.add(context.channel)
    let deadline = context.eventLoop.now + Self.longest
    self.deadline = deadline
    watch(context, until: deadline)
  }

  /// One check at a time: a request only moves the deadline.
  private func watch(_ context: ChannelHandlerContext, until time: NIODeadline) {
    check = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
      guard let deadline else { return }
      if deadline > context.eventLoop.now {
        watch(context, until: deadline)
      } else {
        context.channel.close(promise: nil)
      }
    }
  }

  /// Never shortens what was granted before.
  private func prolong(to time: NIODeadline) { deadline = deadline.map { max($0, time) } }

  /// It no longer has to make room.
  private func settle() {
    if let number = pendingNumber { pending?.remove(number) }
    pendingNumber = nil
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    check?.cancel()
    settle()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    let request = event as? ExtensionRequest
    if request != nil { settle() }
    switch request {
    case .accepted: prolong(to: context.eventLoop.now + Self.longest)
    case .transfer: prolong(to: context.eventLoop.now + Self.longestTransfer)
    case .endless: deadline = nil
    case nil: context.fireUserInboundEventTriggered(event)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    settle()
    context.fireChannelInactive()
  }
}
