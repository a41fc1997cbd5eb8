import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A target of webhooks: a real server that reacts to each request as the test specifies.
final class Receiver: Sendable {
  enum Act: Sendable {
    case accept
    case status(Int)
    /// Does not respond, and keeps the connection.
    case hang
    case hangUp
    /// Accepts, and then sends endlessly.
    case flood
    case rubbish
    case redirect(String)
  }

  struct Post: Sendable {
    /// With names in lower case.
    let headers: [String: String]
    let body: String
  }

  private let received = Mutex<[(post: Post, isTaken: Bool)]>([])
  private let act: @Sendable (Int, Post) -> Act
  private let port = Mutex(0)

  private init(_ act: @Sendable @escaping (Int, Post) -> Act) { self.act = act }

  /// - Parameter act: the reaction to a request by its number, from 0.
  static func run(
    _ act: @Sendable @escaping (Int) -> Act, story: (Receiver) async throws -> Void
  ) async throws {
    try await run(reacting: { number, _ in act(number) }, story: story)
  }

  /// - Parameter act: the reaction to a request by its number, from 0, and its content.
  static func run(
    reacting act: @Sendable @escaping (Int, Post) -> Act,
    story: (Receiver) async throws -> Void
  ) async throws {
    let receiver = Receiver(act)
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Listener(receiver))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    receiver.port.withLock { $0 = channel.localAddress?.port ?? 0 }
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await story(receiver))
    } catch {
      outcome = .failure(error)
    }
    try await channel.close()
    try outcome.get()
  }

  /// Runs several receivers, each of which always reacts the same way.
  static func run(
    each acts: [Act], story: ([Receiver]) async throws -> Void
  ) async throws {
    guard let act = acts.first else { return try await story([]) }
    try await run { _ in
      act
    } story: { first in
      try await run(each: Array(acts.dropFirst())) { try await story([first] + $0) }
    }
  }

  var url: String { "http://127.0.0.1:\(port.withLock { $0 })/hook" }
  var count: Int { received.withLock { $0.count } }
  var all: [Post] { received.withLock { $0.map(\.post) } }

  /// The ids of accepted events.
  var takenIDs: [String] {
    received.withLock { $0.filter(\.isTaken).compactMap { $0.post.headers["webhook-id"] } }
  }

  /// Waits for at least so many requests.
  func posts(_ least: Int) async throws -> [Post] {
    try await eventually { self.count >= least }
    return all
  }

  /// Waits for at least so many accepted events.
  func taken(_ least: Int) async throws -> [String] {
    try await eventually { self.takenIDs.count >= least }
    return takenIDs
  }

  fileprivate func take(_ post: Post) -> Act {
    received.withLock { received in
      let act = act(received.count, post)
      let isTaken = if case .accept = act { true } else { false }
      received.append((post, isTaken))
      return act
    }
  }
}

/// Reads the requests of one connection.
private final class Listener: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let receiver: Receiver
  private var text = ""

  init(_ receiver: Receiver) { self.receiver = receiver }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    while let post = next() {
      switch receiver.take(post) {
      case .accept: send("HTTP/1.1 204 No Content\r\n\r\n", context)
      case .status(let code): send("HTTP/1.1 \(code) X\r\nContent-Length: 0\r\n\r\n", context)
      case .hang: break
      case .hangUp: context.close(promise: nil)
      case .flood:
        send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", context)
        flood(context)
      case .rubbish:
        send("\u{0}\u{1} this is no answer\r\n\r\n", context)
        context.close(promise: nil)
      case .redirect(let url):
        send("HTTP/1.1 302 X\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n", context)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func send(_ text: String, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
  }

  /// Sends a chunk after each sent chunk, until the other side closes the connection.
  private func flood(_ context: ChannelHandlerContext) {
    let piece = ByteBuffer(repeating: 0x78, count: 65_536)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(piece)).whenSuccess {
      let (listener, context) = bound.value
      listener.flood(context)
    }
  }

  private func next() -> Receiver.Post? {
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    var headers: [String: String] = [:]
    for line in text[..<end.lowerBound].components(separatedBy: "\r\n").dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] =
        parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    let rest = text[end.upperBound...].utf8
    guard let length = headers["content-length"].flatMap({ Int($0) }), rest.count >= length
    else { return nil }
    let body = String(decoding: rest.prefix(length), as: UTF8.self)
    text = String(decoding: rest.dropFirst(length), as: UTF8.self)
    return Receiver.Post(headers: headers, body: body)
  }
}

/// Waits for a condition; a quarter of an hour is enough for any machine.
func eventually(_ isSo: () async throws -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(900)
  while try await !isSo() {
    guard ContinuousClock.now < deadline else { throw Failed("the condition was not met in time") }
    try await Task.sleep(for: .milliseconds(10))
  }
}
