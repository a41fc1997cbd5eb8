public import MusterModel
public import MusterNode
internal import NIOCore
internal import NIOPosix

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Puts commands to the node that runs on a home, over its socket: one connection each.
public struct ControlClient: Sendable {
  private let path: ControlSocketPath

  /// Connects to nothing yet.
  public init(path: ControlSocketPath) { self.path = path }

  /// Whether a node runs on this home just now.
  public func isListening() async throws(ControlFault) -> Bool {
    do {
      try await connect().executeThenClose { _, _ in }
      return true
    } catch let fault as ControlFault {
      if fault == .notListening { return false }
      throw fault
    } catch {
      throw .socket(path: "\(path)", reason: "\(error)")
    }
  }

  /// Returns what the node answers, a refusal among it. Throws `ControlFault.notListening` where
  /// no node runs.
  public func perform(_ command: Command) async throws(ControlFault) -> Reply {
    let request = try Self.checked(Request.command(command).encoded())
    return try await converse { inbound, outbound in
      try await outbound.write(request)
      for try await message in inbound { return try Response(decoding: message).reply }
      throw ControlFault.closed
    }
  }

  /// Hands over crossings as they come, those after an arrival number first; with nil only what
  /// comes from now on. Returns when the node stops; throws what `receive` throws, or
  /// `ControlFault`.
  public func follow(
    after: Int64?, _ receive: @Sendable ([CrossingSummary]) async throws -> Void
  ) async throws {
    try await follow(.follow(after: after)) { reply in
      guard case .events(let batch) = reply else { throw ControlFault.unexpected }
      try await receive(batch)
    }
  }

  /// The same of alerts that come and go; before them, with `standing`, those that stand.
  public func followAlerts(
    standing: Bool, _ receive: @Sendable ([AlertChange]) async throws -> Void
  ) async throws {
    try await follow(.followAlerts(standing: standing)) { reply in
      guard case .alertChanges(let changes) = reply else { throw ControlFault.unexpected }
      try await receive(changes)
    }
  }

  /// The same of how often each set of things has changed, beginning with how it is now.
  public func followChanges(
    _ receive: @Sendable (ChangeCounts) async throws -> Void
  ) async throws {
    try await follow(.followChanges) { reply in
      guard case .changes(let counts) = reply else { throw ControlFault.unexpected }
      try await receive(counts)
    }
  }

  private func follow(
    _ request: Request, _ receive: @Sendable (Reply) async throws -> Void
  ) async throws {
    let channel = try await connect()
    try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(request.encoded())
      for try await message in inbound {
        let reply = try Response(decoding: message).reply
        if case .refused(let reason, _) = reply {
          throw ControlFault.socket(path: "\(path)", reason: reason)
        }
        try await receive(reply)
      }
    }
  }

  private static func checked(_ request: [UInt8]) throws(ControlFault) -> [UInt8] {
    guard request.count <= ControlLimits.requestBytes else {
      throw .tooLong(bytes: request.count, limit: ControlLimits.requestBytes)
    }
    return request
  }

  private func converse(
    _ body:
      @Sendable (
        NIOAsyncChannelInboundStream<[UInt8]>, NIOAsyncChannelOutboundWriter<[UInt8]>
      ) async throws -> Reply
  ) async throws(ControlFault) -> Reply {
    let channel = try await connect()
    do {
      return try await channel.executeThenClose(body)
    } catch let fault as ControlFault {
      throw fault
    } catch let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode) {
      // A node that was killed, as against one that closed.
      throw .closed
    } catch {
      throw .socket(path: "\(path)", reason: "\(error)")
    }
  }

  private func connect() async throws(ControlFault) -> MessageChannel {
    do {
      return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(unixDomainSocketPath: path.description) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.messages(upTo: ControlLimits.responseBytes)
          }
        }
    } catch let error as IOError where [ENOENT, ENOTDIR, ECONNREFUSED].contains(error.errnoCode) {
      throw .notListening
    } catch {
      throw .socket(path: "\(path)", reason: "cannot connect: \(error)")
    }
  }
}
