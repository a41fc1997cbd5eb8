internal import MusterCrypto
internal import MusterModel

/// Creates and verifies handshake cookies, as in WireGuard. Under load, a cookie proves that an
/// unauthenticated client receives packets at its address, without any per-client state.
struct CookieJar: Sendable, Redacted {
  /// Newest first. A cookie made with the previous secret is still valid.
  private var secrets: [[UInt8]]
  private var rotatedAt: Instant

  init(random: inout DeterministicRandom, now: Instant) {
    secrets = [random.bytes(32)]
    rotatedAt = now
  }

  mutating func cookie(
    for endpoint: Endpoint, now: Instant, random: inout DeterministicRandom
  ) -> [UInt8] {
    if now.milliseconds(since: rotatedAt) >= Timing.cookieMilliseconds {
      secrets = [random.bytes(32)] + secrets.prefix(1)
      rotatedAt = now
    }
    return Self.cookie(for: endpoint, secret: secrets[0])
  }

  func holds(_ cookie: [UInt8], for endpoint: Endpoint) -> Bool {
    secrets.contains { Self.cookie(for: endpoint, secret: $0) == cookie }
  }

  private static func cookie(for endpoint: Endpoint, secret: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: secret)
    writer.append(UInt8(endpoint.address.count))
    writer.append(fixed: endpoint.address)
    writer.append(endpoint.port)
    writer.append(endpoint.scope)
    return Blake2b.hash128(writer.bytes).bytes
  }
}
