import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Sends bytes to a server, and collects its response until it closes the connection.
struct Caller: Sendable {
  /// The bytes received so far, and whether the server has closed the connection.
  final class Received: Sendable {
    private let state = Mutex<(bytes: [UInt8], hasEnded: Bool)>(([], false))

    var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    func take(_ bytes: [UInt8]) { state.withLock { $0.bytes += bytes } }
    func end() { state.withLock { $0.hasEnded = true } }
  }

  let received: Received
  private let channel: any Channel

  /// - Parameters:
  ///   - tls: nil for a plain connection.
  ///   - protocols: the application protocols to offer.
  static func call(
    port: Int, tls: (least: TLSVersion, most: TLSVersion)?, protocols: [String] = []
  ) async throws -> Caller {
    let received = Received()
    var context: NIOSSLContext?
    if let tls {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.certificateVerification = .none
      configuration.minimumTLSVersion = tls.least
      configuration.maximumTLSVersion = tls.most
      configuration.applicationProtocols = protocols
      context = try NIOSSLContext(configuration: configuration)
    }
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { [context] channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: nil))
          }
          try channel.pipeline.syncOperations.addHandler(Gatherer(received))
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return Caller(received: received, channel: channel)
  }

  /// Returns whether the bytes were sent; they are not if the other side has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) async -> Bool {
    do {
      try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
      return true
    } catch {
      return false
    }
  }

  func send(_ text: String) async { await send(Array(text.utf8)) }

  /// The certificate of the listener in DER; nil before the handshake, and without TLS.
  func certificate() async throws -> [UInt8]? {
    try await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        .peerCertificate?.toDERBytes()
    }.get()
  }

  func hangUp() async {
    do {
      try await channel.close()
    } catch {
      // The other side closed the connection first.
    }
  }

  private final class Gatherer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let received: Received

    init(_ received: Received) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received.take(Array(buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) { received.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
