import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import MusterTransport

/// A server that is not what an uplink looks for.
struct UplinkTrap: Sendable {
  let port: UInt16
  private let channel: any Channel

  /// - Parameters:
  ///   - tls: nil for a server without TLS.
  ///   - answer: the response to the first request; nil for none.
  static func set(
    tls: TLSConfiguration?, answer: [UInt8]?, closes: Bool = false
  ) async throws -> UplinkTrap {
    let context = try tls.map { try NIOSSLContext(configuration: $0) }
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
          }
          try channel.pipeline.syncOperations.addHandler(Answer(bytes: answer, closes: closes))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return UplinkTrap(port: UInt16(channel.localAddress?.port ?? 0), channel: channel)
  }

  func close() async throws { try await channel.close() }

  private final class Answer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private var bytes: [UInt8]?
    private let closes: Bool

    init(bytes: [UInt8]?, closes: Bool) {
      self.bytes = bytes
      self.closes = closes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard let bytes else { return }
      self.bytes = nil
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
      if closes { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}

/// A key, and what was signed for it.
struct Shown {
  let key: [UInt8]
  let certificate: [UInt8]
  private let encodedKey: [UInt8]

  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - signer: nil for the key itself.
  init(
    key: [UInt8] = Self.newKey(), subject: String = "post", signer: [UInt8]? = nil,
    issuer: String? = nil, isAuthority: Bool = false, years: ClosedRange<Int> = 1970...9999
  ) throws {
    let own = try #require(TLSKey(bytes: key))
    let contents = TLSCertificate.Contents(
      subject: subject, issuer: issuer ?? subject, isAuthority: isAuthority,
      validity: (from: "\(years.lowerBound)0101000000Z", to: "\(years.upperBound)0101000000Z"))
    let certificate = TLSCertificate(
      contents, of: own, signedBy: try #require(TLSKey(bytes: signer ?? key)))
    self.key = key
    self.certificate = try #require(certificate?.der)
    encodedKey = try #require(own.encoded)
  }

  /// Draws a key below the order of P-256.
  private static func newKey() -> [UInt8] {
    [1] + (1..<TLSKey.byteCount).map { _ in UInt8.random(in: .min ... .max) }
  }

  /// A server that shows it, and those behind it.
  func tls(
    behind: [Shown] = [], most: TLSVersion? = nil
  ) throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try ([self] + behind).map {
        .certificate(try NIOSSLCertificate(bytes: $0.certificate, format: .der))
      },
      privateKey: .privateKey(
        try NIOSSLPrivateKey(bytes: encodedKey, format: .der)))
    configuration.minimumTLSVersion = .tlsv1
    configuration.maximumTLSVersion = most
    return configuration
  }
}
