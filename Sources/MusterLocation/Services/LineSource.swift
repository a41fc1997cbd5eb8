internal import Foundation
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle

/// An event of a source of lines.
public enum LineEvent: Hashable, Sendable {
  /// Lines that arrived together; nil for one that was too long.
  case lines([[UInt8]?])
  /// A change of the source's state.
  case state(SourceState)
}

/// Lines of text of another program: from a file, a pipe, standard input, or UDP datagrams.
///
/// Datagrams are not authenticated: use a trusted network or the loopback address.
public struct LineSource: Service {
  /// Where the lines come from.
  public enum Input: Hashable, Sendable {
    case standardInput
    /// A file, which is read once, a device or a named pipe.
    case path(String)
    case datagrams(host: String, port: Int)
  }

  private static let pieceBytes = 64 * 1024

  private let input: Input
  private let longest: Int
  private let persistence: Persistence
  private let logger: Logger
  private let deliver: @Sendable (LineEvent) async -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - longest: the longest line, in bytes.
  ///   - random: the source of jitter for retry intervals.
  ///   - deliver: awaited for each event, which provides backpressure.
  public init(
    _ input: Input, longest: Int, logger: Logger, random: @escaping @Sendable () -> UInt64,
    deliver: @escaping @Sendable (LineEvent) async -> Void
  ) {
    self.input = input
    self.longest = longest
    persistence = Persistence(random: random)
    self.logger = logger
    self.deliver = deliver
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        switch input {
        case .standardInput:
          _ = try await readStream(.standardInput)
          await deliver(.state(.ended))
        case .path(let path) where Self.isRegular(path):
          try await readFile(path)
          await deliver(.state(.ended))
        case .path(let path): try await persistence.run { try await attempt(.path(path)) }
        case .datagrams(let host, let port):
          try await persistence.run { try await attemptDatagrams(host: host, port: port) }
        }
      } catch {
        if !Task.isCancelled { logger.error("reading \(input) failed: \(error)") }
      }
    }
    try await gracefulShutdown()
  }

  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func readFile(_ path: String) async throws {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    var splitter = LineSplitter(longest: longest)
    await deliver(.state(.connected))
    while let piece = try file.read(upToCount: Self.pieceBytes), !piece.isEmpty {
      try Task.checkCancellation()
      await deliver(.lines(splitter.take(piece)))
    }
    await deliver(.lines(splitter.finish()))
    try file.close()
  }

  private func attempt(_ input: NMEAStreamSource.Input) async throws -> Bool {
    do {
      let hasSpoken = try await readStream(input)
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
  private func readStream(_ input: NMEAStreamSource.Input) async throws -> Bool {
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
      var splitter = LineSplitter(longest: longest)
      var hasSpoken = false
      for try await buffer in inbound {
        if !hasSpoken { await deliver(.state(.connected)) }
        hasSpoken = true
        await deliver(.lines(splitter.take(buffer.readableBytesView)))
      }
      await deliver(.lines(splitter.finish()))
      return hasSpoken
    }
  }

  private func attemptDatagrams(host: String, port: Int) async throws -> Bool {
    do {
      try await readDatagrams(host: host, port: port)
    } catch {
      try Task.checkCancellation()
      await deliver(.state(.waiting))
      logger.error("cannot read lines from UDP port \(port) of \(host): \(error)")
    }
    return false
  }

  /// Each datagram has whole lines.
  private func readDatagrams(host: String, port: Int) async throws {
    let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: host, port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try Self.closeOnExec(channel)
          return try SourceChannel<AddressedEnvelope<ByteBuffer>>(
            wrappingChannelSynchronously: channel)
        }
      }
    await deliver(.state(.connected))
    try await channel.executeThenClose { inbound, _ in
      for try await envelope in inbound {
        var splitter = LineSplitter(longest: longest)
        let lines = splitter.take(envelope.data.readableBytesView)
        await deliver(.lines(lines + splitter.finish()))
      }
    }
  }

  /// A child process that inherited the socket would keep its port in use after this process has
  /// closed it.
  private static func closeOnExec(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
  }
}
