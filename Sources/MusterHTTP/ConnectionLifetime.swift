internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// The connections of a listener whose client sends nothing more: it has hung up, or it only waits
/// for its answer. A read for it is not worth its time; a write is performed.
final class ClosedInputs: Sendable {
  private let closed = Mutex<Set<ObjectIdentifier>>([])

  func contains(_ channel: any Channel) -> Bool {
    closed.withLock { $0.contains(ObjectIdentifier(channel)) }
  }

  fileprivate func add(_ channel: any Channel) {
    closed.withLock { _ = $0.insert(ObjectIdentifier(channel)) }
  }

  fileprivate func remove(_ channel: any Channel) {
    closed.withLock { _ = $0.remove(ObjectIdentifier(channel)) }
  }
}

/// Closes a connection a minute after its last accepted request, however slowly a client sends: a
/// client may reconnect. A handler with an endless response requests an exemption.
///
/// A connection whose requests are all rejected ends a minute after it began; on a listener for
/// other machines, one without any request ends after seconds.
final class ConnectionLifetime: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The requests to this handler, as pipeline events.
  enum ExtensionRequest: Sendable {
    /// A request was accepted.
    case accepted
    /// The client waits for `100 Continue` before it sends a body.
    case awaited
    /// A file is sent or received.
    case transfer
    case endless
  }

  static let longest = TimeAmount.seconds(60)
  /// Until the head of the first request: a handshake of TLS on a slow link takes four.
  static let longestSilence = TimeAmount.seconds(15)
  /// From the request for a transfer: the largest picture at 900 kbit/s.
  static let longestTransfer = TimeAmount.minutes(10)
  /// Nil for a connection without an end.
  private var deadline: NIODeadline?
  private var check: Scheduled<Void>?
  /// When it ends without an accepted request; nil once a request has arrived.
  private var endWithoutAcceptance: NIODeadline?
  private let pending: PendingConnections?
  private let inputs: ClosedInputs?
  /// Its number among those; nil once a request was accepted.
  private var pendingNumber: UInt64?

  /// - Parameters:
  ///   - pending: nil for a listener that only this machine reaches.
  ///   - inputs: receives the connection when its client sends nothing more.
  init(pending: PendingConnections? = nil, inputs: ClosedInputs? = nil) {
    (self.pending, self.inputs) = (pending, inputs)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    pendingNumber = pending?.add(context.channel)
    let end = context.eventLoop.now + Self.longest
    let deadline = pending == nil ? end : context.eventLoop.now + Self.longestSilence
    (endWithoutAcceptance, self.deadline) = (end, deadline)
    watch(context, until: deadline)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if let end = endWithoutAcceptance {
      endWithoutAcceptance = nil
      prolong(to: end)
    }
    context.fireChannelRead(data)
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
    inputs?.remove(context.channel)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { inputs?.add(context.channel) }
    let request = event as? ExtensionRequest
    if request != nil { settle() }
    switch request {
    case .accepted: prolong(to: context.eventLoop.now + Self.longest)
    case .awaited: sendContinue(context)
    case .transfer: prolong(to: context.eventLoop.now + Self.longestTransfer)
    case .endless: deadline = nil
    case nil: context.fireUserInboundEventTriggered(event)
    }
  }

  /// Sends an interim response, which is no part of an exchange: it begins behind the encoder.
  private func sendContinue(_ context: ChannelHandlerContext) {
    do {
      let line = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
      try context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        .writeAndFlush(NIOAny(line), promise: nil)
    } catch {
      // The client sends the body after a while in any case.
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    check?.cancel()
    settle()
    context.fireChannelInactive()
  }
}
