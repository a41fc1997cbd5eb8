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

/// Sends commands to the node that runs with a home, by HTTP over its socket, with one connection
/// each.
public struct ControlClient: Sendable {
  private typealias Exchange = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private let path: ControlSocketPath

  /// Creates a client without connecting.
  public init(path: ControlSocketPath) { self.path = path }

  /// Whether a node runs with this home now.
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

  /// Returns the node's reply, which may be a rejection. Throws `ControlFault.notListening` if no
  /// node runs.
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

  /// Sends a request to the node's API and returns the response body, which may be empty. Throws if
  /// the node rejects the request.
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

  /// Passes crossings to `receive` as they arrive, beginning with those after an arrival number;
  /// with nil, only new ones. Returns when the node stops; throws what `receive` throws, or
  /// `ControlFault`.
  public func follow(
    after: Int64?, _ receive: @Sendable ([CrossingSummary]) async throws -> Void
  ) async throws {
    try await follow(.follow(after: after)) { reply in
      guard case .events(let batch) = reply else { throw ControlFault.unexpected }
      try await receive(batch)
    }
  }

  /// Passes the active alerts to `receive`, now and after each change.
  public func followAlerts(
    _ receive: @Sendable ([Alert]) async throws -> Void
  ) async throws {
    try await follow(.followAlerts) { reply in
      guard case .alerts(let standing) = reply else { throw ControlFault.unexpected }
      try await receive(standing)
    }
  }

  /// Passes the change counts to `receive`, now and after each change.
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

  /// A killed node has stopped too.
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
        // Written at once: the node replies, and closes, as soon as it has all of the body.
        try await outbound.write(contentsOf: request.parts)
        var answer = AnswerReader(inbound)
        return try await body(&answer)
      }
    } catch let error as IOError where Self.isHangUp(error) {
      // The node was killed: a clean stop ends the response properly.
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

/// One request on its own connection.
private struct HTTPRequest {
  let parts: [HTTPClientRequestPart]

  init(command: [UInt8]) {
    self.init(
      method: .POST, target: CommandExchange.path, type: CommandExchange.mediaType, body: command)
  }

  /// - Parameter body: nil for a request without a body.
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
