public import Logging
internal import MusterModel
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle

/// A gpsd on this or another machine. Subscribes to its reports, and reconnects indefinitely when
/// it stops, restarts, or falls silent.
public struct GpsdSource: Service {
  /// gpsd's default port.
  public static let defaultPort = 2947
  /// The read timeout. gpsd reports every second while a receiver is plugged in. Without one it
  /// sends nothing, so the timeout is long.
  static let silence = TimeAmount.seconds(30)
  private static let patience = TimeAmount.seconds(5)

  private let host: String
  private let port: Int
  private let persistence: Persistence
  private let logger: Logger
  private let deliver: @Sendable (SourceEvent) async -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - random: the source of jitter for retry intervals.
  ///   - deliver: awaited for each event, which provides backpressure.
  public init(
    host: String, port: Int, logger: Logger, random: @escaping @Sendable () -> UInt64,
    deliver: @escaping @Sendable (SourceEvent) async -> Void
  ) {
    self.host = host
    self.port = port
    persistence = Persistence(random: random)
    self.logger = logger
    self.deliver = deliver
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        try await persistence.run(attempt)
      } catch {
        // It ends only by cancellation.
      }
    }
  }

  private func attempt() async throws -> Bool {
    do {
      return try await listen()
    } catch {
      try Task.checkCancellation()
      await deliver(.state(error is SourceSilent ? .silent : .waiting))
      logger.debug("gpsd at \(Endpoint.authority(host, port)): \(error)")
      return error is SourceSilent
    }
  }

  /// Runs one connection. Returns whether gpsd sent anything.
  private func listen() async throws -> Bool {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(Self.patience)
      .connect(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            IdleStateHandler(readTimeout: Self.silence), SilenceHandler(),
          ])
          return try SourceChannel<ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: GpsdReport.watch))
      var splitter = LineSplitter(longest: GpsdReport.longestLine)
      var hasReceived = false
      for try await buffer in inbound {
        for line in splitter.take(buffer.readableBytesView) {
          if !hasReceived {
            hasReceived = true
            await deliver(.state(.connected))
          }
          await take(line)
        }
      }
      await deliver(.state(.waiting))
      return hasReceived
    }
  }

  private func take(_ line: [UInt8]?) async {
    guard let line else { return await deliver(.reading(.refused(.tooLong))) }
    switch GpsdReport(line: line) {
    case .reading(.other): return
    case .reading(let reading): await deliver(.reading(reading))
    case .receivers(let count): await deliver(.state(count == 0 ? .unplugged : .connected))
    }
  }
}
