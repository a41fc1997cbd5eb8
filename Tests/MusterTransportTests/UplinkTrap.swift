import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

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
  let key: P256.Signing.PrivateKey
  let certificate: [UInt8]

  /// - Parameter signer: nil for the key itself.
  init(
    key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(), subject: String = "post",
    signer: P256.Signing.PrivateKey? = nil, issuer: String? = nil, isAuthority: Bool = false,
    years: ClosedRange<Int> = 1970...9999
  ) throws {
    func date(_ year: Int) -> Date { Date(timeIntervalSince1970: Double(year - 1970) * 31_556_952) }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(),
      publicKey: Certificate.PublicKey(key.publicKey),
      notValidBefore: date(years.lowerBound), notValidAfter: date(years.upperBound),
      issuer: try DistinguishedName { CommonName(issuer ?? subject) },
      subject: try DistinguishedName { CommonName(subject) },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(
          isAuthority
            ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
            : BasicConstraints.notCertificateAuthority)
      },
      issuerPrivateKey: Certificate.PrivateKey(signer ?? key))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    self.key = key
    self.certificate = serializer.serializedBytes
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
        try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)))
    configuration.minimumTLSVersion = .tlsv1
    configuration.maximumTLSVersion = most
    return configuration
  }
}
