internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import MusterModel
internal import NIOCore
internal import NIOSSL
public import ServiceLifecycle

/// The HTTP API of an archive: on a loopback address as it is, on others over TLS only. Every
/// request except probes needs an access token.
public struct ArchiveServer: Service {
  /// A certificate chain and its private key, as files in PEM.
  public struct Certificate: Hashable, Sendable {
    let chainFile: String
    let keyFile: String

    /// - Parameters:
    ///   - chainFile: the server's own certificate first.
    ///   - keyFile: MUST be readable by this user only.
    public init(chainFile: String, keyFile: String) {
      (self.chainFile, self.keyFile) = (chainFile, keyFile)
    }

    /// TLS 1.2 or newer, with AEAD ciphers only.
    fileprivate func context() throws -> NIOSSLContext {
      let chain = try NIOSSLCertificate.fromPEMFile(chainFile)
      let key = try NIOSSLPrivateKey(file: keyFile, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.cipherSuiteValues = [
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
      ]
      configuration.applicationProtocols = ["http/1.1"]
      return try NIOSSLContext(configuration: configuration)
    }
  }

  private static let mostConnections = 512
  private static let idle = TimeAmount.seconds(60)

  private let archive: any OperationArchive
  private let host: String
  private let port: Int
  private let share: Int
  private let context: NIOSSLContext?
  private let logger: Logger
  private let onListening: @Sendable (Int) -> Void

  /// Throws if the certificate cannot be used, or if one is missing.
  ///
  /// - Parameters:
  ///   - port: 0 for one that the system chooses.
  ///   - share: how many requests of one agency query the archive at a time: fewer than it has
  ///     connections, so that others are served meanwhile.
  ///   - certificate: nil only for a loopback address.
  ///   - logger: receives one line for each request, with the agency that sent it.
  ///   - onListening: receives the port once clients can connect.
  public init(
    of archive: any OperationArchive, host: String, port: Int, share: Int,
    certificate: Certificate?, logger: Logger,
    onListening: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws {
    guard certificate != nil || AccessRule.isLoopback(host) else { throw MissingCertificate() }
    self.archive = archive
    self.host = host
    self.port = port
    self.share = share
    context = try certificate?.context()
    self.logger = logger
    self.onListening = onListening
  }

  /// An address that other machines can reach has no certificate.
  public struct MissingCertificate: Error, CustomStringConvertible {
    /// One line for the terminal.
    public let description =
      "other machines can reach this address: give --certificate and --key, or listen on 127.0.0.1"
  }

  /// Returns after a graceful shutdown; throws if the address is in use.
  public func run() async throws {
    var quiet = logger
    quiet.logLevel = .critical
    let (host, logger, onListening) = (host, logger, onListening)
    let scheme = context == nil ? "http" : "https"
    let application = Application(
      responder: ArchiveResponder(
        archive: archive, share: share, isSecure: context != nil, logger: logger),
      server: server(),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: .maximum(Self.mostConnections, logger: quiet)),
      onServerRunning: { channel in
        let bound = channel.localAddress?.port ?? 0
        logger.notice("serving the archive on \(scheme)://\(Endpoint.authority(host, bound))")
        onListening(bound)
      }, logger: quiet)
    try await application.run()
  }

  private func server() -> HTTPServerBuilder {
    let configuration = HTTP1Channel.Configuration.bounded(
      idle: Self.idle, pending: PendingConnections(bound: Self.mostConnections / 2))
    guard let context else { return .http1(configuration: configuration) }
    return HTTPServerBuilder { responder in
      CertificateChannel(
        base: HTTP1Channel(responder: responder, configuration: configuration), browsers: context,
        others: context)
    }
  }
}
