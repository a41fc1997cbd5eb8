internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOPosix

/// Decodes the bytes of one connection.
protocol ByteDecoder: Sendable {
  /// One decoded item: a line, a reading.
  associatedtype Unit: Sendable

  /// Returns the units that end in these bytes, in order.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [Unit]
  /// Returns the last units, if the input ended without an end of line.
  mutating func finish() -> [Unit]
}

extension LineSplitter: ByteDecoder {}
extension NMEADecoder: ByteDecoder {}

/// Reads a device, a named pipe or standard input. A device that was unplugged is reopened when it
/// returns.
struct StreamReader<Decoder: ByteDecoder>: Sendable {
  /// The decoder of each new connection.
  let decoder: Decoder
  let persistence: Persistence
  let logger: Logger
  /// Both are awaited, which provides backpressure.
  let changeState: @Sendable (SourceState) async -> Void
  let deliver: @Sendable ([Decoder.Unit]) async -> Void

  /// Reads standard input until it ends, or a path until the task is cancelled.
  func run(_ input: StreamInput) async throws {
    switch input {
    case .standardInput:
      _ = try await read(input)
      await changeState(.ended)
    case .path: try await persistence.run { try await attempt(input) }
    }
  }

  private func attempt(_ input: StreamInput) async throws -> Bool {
    do {
      let hasReceived = try await read(input)
      await changeState(.waiting)
      return hasReceived
    } catch {
      try Task.checkCancellation()
      await changeState(.waiting)
      logger.debug("\(input): \(error)")
      return false
    }
  }

  /// Reads until the input ends. Returns whether anything was received.
  private func read(_ input: StreamInput) async throws -> Bool {
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
      var decoder = decoder
      var hasReceived = false
      for try await buffer in inbound {
        if !hasReceived { await changeState(.connected) }
        hasReceived = true
        await deliver(decoder.take(buffer.readableBytesView))
      }
      await deliver(decoder.finish())
      return hasReceived
    }
  }
}
