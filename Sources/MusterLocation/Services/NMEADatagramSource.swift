public import Logging
internal import NIOCore
public import ServiceLifecycle

/// NMEA sentences in UDP datagrams, as phones and radios send them. They are not authenticated: any
/// host that reaches the port can set this device's position, so use a trusted network or the
/// loopback address.
public struct NMEADatagramSource: Service {
  /// The sentences of each sender are decoded separately.
  static let mostSenders = 8

  private let channel: SourceChannel<AddressedEnvelope<ByteBuffer>>
  /// The bound port.
  public let port: Int
  private let logger: Logger
  private let deliver: @Sendable (SourceEvent) async -> Void

  /// Binds at once, so that a port that is in use is reported before the node runs.
  public static func bind(
    host: String, port: Int, logger: Logger,
    deliver: @escaping @Sendable (SourceEvent) async -> Void
  ) async throws -> NMEADatagramSource {
    let (channel, port) = try await SourceChannel.bind(host: host, port: port)
    return NMEADatagramSource(channel: channel, port: port, logger: logger, deliver: deliver)
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    try await channel.executeThenClose { inbound, _ in
      var decoders: [(sender: SocketAddress, decoder: NMEADecoder)] = []
      for try await envelope in inbound.cancelOnGracefulShutdown() {
        let known = decoders.firstIndex { $0.sender == envelope.remoteAddress }
        var decoder = known.map { decoders.remove(at: $0).decoder } ?? NMEADecoder()
        if decoders.isEmpty, known == nil { await deliver(.state(.connected)) }
        for reading in decoder.take(datagram: envelope.data.readableBytesView)
        where reading != .other {
          await deliver(.reading(reading))
        }
        // The most recent sender is last.
        decoders.append((envelope.remoteAddress, decoder))
        if decoders.count > Self.mostSenders { decoders.removeFirst() }
      }
    }
  }
}
