public import Logging
public import ServiceLifecycle

/// NMEA sentences from a receiver's device, a pipe or standard input. A device that was unplugged
/// is reopened when it returns.
public struct NMEAStreamSource: Service {
  private let input: StreamInput
  private let reader: StreamReader<NMEADecoder>
  private let logger: Logger

  /// Creates a source. Recorded files are replayed instead.
  ///
  /// - Parameters:
  ///   - random: the source of jitter for retry intervals.
  ///   - deliver: awaited for each event, which provides backpressure.
  public init(
    _ input: StreamInput, logger: Logger, random: @escaping @Sendable () -> UInt64,
    deliver: @escaping @Sendable (SourceEvent) async -> Void
  ) {
    self.input = input
    self.logger = logger
    reader = StreamReader(
      decoder: NMEADecoder(), persistence: Persistence(random: random), logger: logger,
      changeState: { await deliver(.state($0)) },
      deliver: { readings in
        for reading in readings where reading != .other { await deliver(.reading(reading)) }
      })
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        try await reader.run(input)
      } catch {
        if !Task.isCancelled { logger.error("reading standard input failed: \(error)") }
      }
    }
    try await gracefulShutdown()
  }
}
