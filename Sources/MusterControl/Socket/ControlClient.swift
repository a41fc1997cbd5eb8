public import MusterModel
public import MusterNode
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Puts commands to the node that runs on a home, by HTTP over its socket: one connection each.
public struct ControlClient: Sendable {
  private typealias Exchange = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

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
    let request = HTTPRequest(
      command: try Self.checked(ControlMessage.encode(Request.command(command))))
    do {
      return try await converse(request) { answer in
        try await answer.begin(as: [CommandExchange.mediaType])
        return try ControlMessage.reply(
          try await answer.whole(upTo: ControlLimits.responseBytes))
      }
    } catch let fault as ControlFault {
      throw fault
    } catch {
      throw .socket(path: "\(path)", reason: "\(error)")
    }
  }

  /// Asks the node's API, as any program would: what it answers, empty where it only says that it
  /// is done. What the node declines is thrown.
  public func ask(
    _ method: String, _ target: String, json: [UInt8]?
  ) async throws(ControlFault) -> [UInt8] {
    let request = HTTPRequest(
      method: HTTPMethod(rawValue: method), target: target, type: "application/json", body: json)
    do {
      return try await converse(request) { answer in
        try await answer.begin(as: ["application/json"], isAPI: true)
        return try await answer.whole(upTo: ControlLimits.responseBytes)
      }
    } catch let fault as ControlFault {
      throw fault
    } catch {
      throw .socket(path: "\(path)", reason: "\(error)")
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

  /// The same of the alerts that stand, beginning with how it is now.
  public func followAlerts(
    _ receive: @Sendable ([Alert]) async throws -> Void
  ) async throws {
    try await follow(.followAlerts) { reply in
      guard case .alerts(let standing) = reply else { throw ControlFault.unexpected }
      try await receive(standing)
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
    try await converse(HTTPRequest(command: ControlMessage.encode(request))) { answer in
      try await answer.begin(as: [CommandExchange.streamType])
      var messages = MessageReader(limit: ControlLimits.responseBytes)
      while let piece = try await Self.unlessStopped({ try await answer.piece() }) {
        messages.take(piece)
        while let message = try messages.next() {
          let reply = try ControlMessage.reply(message)
          if case .refused(let reason, _) = reply { throw ControlFault.declined(reason) }
          try await receive(reply)
        }
      }
    }
  }

  /// A node that was killed has stopped too.
  private static func unlessStopped(
    _ next: () async throws -> ByteBuffer?
  ) async throws -> ByteBuffer? {
    do {
      return try await next()
    } catch ControlFault.closed {
      return nil
    } catch let error as IOError where isHangUp(error) {
      return nil
    }
  }

  private static func checked(_ request: [UInt8]) throws(ControlFault) -> [UInt8] {
    guard request.count <= ControlLimits.requestBytes else {
      throw .tooLong(bytes: request.count, limit: ControlLimits.requestBytes)
    }
    return request
  }

  private static func isHangUp(_ error: IOError) -> Bool {
    [ECONNRESET, EPIPE].contains(error.errnoCode)
  }

  private func converse<Result: Sendable>(
    _ request: HTTPRequest, _ body: (inout AnswerReader) async throws -> Result
  ) async throws -> Result {
    let channel = try await connect()
    do {
      return try await channel.executeThenClose { inbound, outbound in
        // At once: the node answers, and closes, as soon as it has all of the body.
        try await outbound.write(contentsOf: request.parts)
        var answer = AnswerReader(inbound)
        return try await body(&answer)
      }
    } catch let error as IOError where Self.isHangUp(error) {
      // A node that was killed, as against one that closed.
      throw ControlFault.closed
    } catch ChannelError.ioOnClosedChannel {
      throw ControlFault.closed
    }
  }

  private func connect() async throws(ControlFault) -> Exchange {
    do {
      return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(unixDomainSocketPath: path.description) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            return try Exchange(wrappingChannelSynchronously: channel)
          }
        }
    } catch let error as IOError where [ENOENT, ENOTDIR, ECONNREFUSED].contains(error.errnoCode) {
      throw .notListening
    } catch {
      throw .socket(path: "\(path)", reason: "cannot connect: \(error)")
    }
  }
}

/// One request, on a connection of its own.
private struct HTTPRequest {
  let parts: [HTTPClientRequestPart]

  init(command: [UInt8]) {
    self.init(
      method: .POST, target: CommandExchange.path, type: CommandExchange.mediaType, body: command)
  }

  /// - Parameter body: nil for a request that has none.
  init(method: HTTPMethod, target: String, type: String, body: [UInt8]?) {
    var headers: HTTPHeaders = ["host": "localhost", "connection": "close"]
    if let body {
      headers.add(name: "content-type", value: type)
      headers.add(name: "content-length", value: "\(body.count)")
    }
    let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
    let bytes = body.map { HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: $0))) }
    parts = [.head(head)] + [bytes].compactMap(\.self) + [.end(nil)]
  }
}
