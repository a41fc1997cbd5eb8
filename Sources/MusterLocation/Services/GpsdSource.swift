public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle

/// A gpsd, here or on another machine: asks it to tell what it hears, and comes back to it for ever
/// when it goes, is started again, or falls silent.
public struct GpsdSource: Service {
  /// Where gpsd listens by itself.
  public static let defaultPort = 2947
  /// gpsd reports every second where a receiver is plugged in; with none it says nothing, which is
  /// no reason to hurry.
  static let silence = TimeAmount.seconds(30)
  private static let patience = TimeAmount.seconds(5)

  private let host: String
  private let port: Int
  private let persistence: Persistence
  private let logger: Logger
  private let deliver: @Sendable (SourceEvent) async -> Void

  /// - Parameters:
  ///   - random: for the pauses between attempts.
  ///   - deliver: is waited for, so that a node that is busy is not overrun.
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

  /// Returns after a graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        try await persistence.run(attempt)
      } catch {
        // Only its cancellation ends it.
      }
    }
  }

  private func attempt() async throws -> Bool {
    do {
      return try await listen()
    } catch {
      try Task.checkCancellation()
      await deliver(.state(error is SourceSilent ? .silent : .waiting))
      logger.debug("gpsd at \(host):\(port): \(error)")
      return error is SourceSilent
    }
  }

  /// Whether gpsd said anything.
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
      var hasSpoken = false
      for try await buffer in inbound {
        for line in splitter.take(buffer.readableBytesView) {
          if !hasSpoken {
            hasSpoken = true
            await deliver(.state(.connected))
          }
          await take(line)
        }
      }
      await deliver(.state(.waiting))
      return hasSpoken
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
