public import Logging
internal import Foundation
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle

/// NMEA sentences from a receiver's device, a pipe or standard input. A device that was unplugged
/// is reopened when it returns.
public struct NMEAStreamSource: Service {
  /// The input of the sentences.
  public enum Input: Hashable, Sendable {
    case standardInput
    /// A character device or a named pipe. Recorded files are replayed instead.
    case path(String)
  }

  private let input: Input
  private let persistence: Persistence
  private let logger: Logger
  private let deliver: @Sendable (SourceEvent) async -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - random: the source of jitter for retry intervals.
  ///   - deliver: awaited for each event, which provides backpressure.
  public init(
    _ input: Input, logger: Logger, random: @escaping @Sendable () -> UInt64,
    deliver: @escaping @Sendable (SourceEvent) async -> Void
  ) {
    self.input = input
    persistence = Persistence(random: random)
    self.logger = logger
    self.deliver = deliver
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        guard input != .standardInput else {
          _ = try await listen()
          return await deliver(.state(.ended))
        }
        try await persistence.run(attempt)
      } catch {
        if !Task.isCancelled { logger.error("reading standard input failed: \(error)") }
      }
    }
    try await gracefulShutdown()
  }

  private func attempt() async throws -> Bool {
    do {
      let hasSpoken = try await listen()
      await deliver(.state(.waiting))
      return hasSpoken
    } catch {
      try Task.checkCancellation()
      await deliver(.state(.waiting))
      logger.debug("\(input): \(error)")
      return false
    }
  }

  /// Reads until the input ends. Returns whether anything was received.
  private func listen() async throws -> Bool {
    let descriptor = try ReceiverDevice.open(input)
    let channel: SourceChannel<ByteBuffer>
    do {
      channel = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .takingOwnershipOfDescriptor(input: descriptor) { channel in
          channel.eventLoop.makeCompletedFuture {
            try SourceChannel<ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      close(descriptor)
      throw error
    }
    return try await channel.executeThenClose { inbound, _ in
      var decoder = NMEADecoder()
      var hasSpoken = false
      for try await buffer in inbound {
        if !hasSpoken {
          hasSpoken = true
          await deliver(.state(.connected))
        }
        for reading in decoder.take(buffer.readableBytesView) { await pass(reading) }
      }
      for reading in decoder.finish() { await pass(reading) }
      return hasSpoken
    }
  }

  private func pass(_ reading: Reading) async {
    if reading != .other { await deliver(.reading(reading)) }
  }
}
