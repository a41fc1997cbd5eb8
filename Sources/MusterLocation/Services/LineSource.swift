internal import Foundation
public import Logging
internal import NIOCore
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
  private let reader: StreamReader<LineSplitter>
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
    reader = StreamReader(
      decoder: LineSplitter(longest: longest), persistence: persistence, logger: logger,
      changeState: { await deliver(.state($0)) }, deliver: { await deliver(.lines($0)) })
  }

  /// Runs until graceful shutdown.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        switch input {
        case .standardInput:
          try await reader.run(.standardInput)
        case .path(let path) where Self.isRegular(path):
          try await readFile(path)
          await deliver(.state(.ended))
        case .path(let path): try await reader.run(.path(path))
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
    let (channel, _) = try await SourceChannel.bind(host: host, port: port)
    await deliver(.state(.connected))
    try await channel.executeThenClose { inbound, _ in
      for try await envelope in inbound {
        var splitter = LineSplitter(longest: longest)
        let lines = splitter.take(envelope.data.readableBytesView)
        await deliver(.lines(lines + splitter.finish()))
      }
    }
  }
}
