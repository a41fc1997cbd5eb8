internal import NIOSSL

extension TLSConfiguration {
  /// Returns a listener's configuration: TLS 1.2 or newer, with AEAD ciphers only (no CBC).
  ///
  /// - Parameters:
  ///   - chain: certificates in DER, the listener's own first.
  ///   - privateKey: the key of the first one, in PKCS #8.
  static func server(chain: [[UInt8]], privateKey: [UInt8]) throws -> TLSConfiguration {
    let certificates = try chain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
    let key = try NIOSSLPrivateKey(bytes: privateKey, format: .der)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues = [
      .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
      .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    ]
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}
