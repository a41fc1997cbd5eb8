import Foundation
import MusterInterchange
import NIOCore
import NIOPosix

/// Sends exactly the bytes of a test: no client library corrects them. Each request has its own
/// connection.
struct WebClient: Sendable {
  let port: Int

  struct Answer: CustomStringConvertible {
    let status: Int
    /// With names in lower case.
    let headers: [String: String]
    let body: String

    var json: JSON { JSON.read(of: body) }
    var description: String { "\(status) \(body)" }
  }

  /// - Parameter isRefused: whether the node must refuse it: then it may be sent again.
  func ask(
    _ method: String, _ path: String, body: String? = nil, headers: [String: String] = [:],
    isRefused: Bool = false
  ) async throws -> Answer {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    if let body {
      all["Content-Length"] = "\(body.utf8.count)"
      all["Content-Type"] = "application/json"
    }
    all.merge(headers) { $1 }
    let text = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    let request = "\(method) \(path) HTTP/1.1\r\n\(text)\r\n\(body ?? "")"
    var answer = ""
    var attempts = 0
    // Without any answer, this process stood still until the server gave the connection up.
    while answer.isEmpty, attempts == 0 || ((method == "GET" || isRefused) && attempts < 10) {
      attempts += 1
      let stream = try await open(request)
      try await stream.executeThenClose { inbound, _ in
        for try await piece in inbound { answer += String(buffer: piece) }
      }
    }
    return try Self.parsed(answer)
  }

  private static func parsed(_ text: String) throws -> Answer {
    guard let end = text.range(of: "\r\n\r\n") else { throw Failed("no answer: \(text)") }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw Failed("no status: \(text)") }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] =
        parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    }
    return Answer(status: status, headers: headers, body: String(text[end.upperBound...]))
  }

  // MARK: Streams

  /// Passes the events of a stream to a reader, which is disconnected at the end of `body`.
  func follow(
    _ path: String, lastEventID: String? = nil,
    _ body: @Sendable (inout EventReader) async throws -> Void
  ) async throws {
    let resume = lastEventID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    let stream = try await open(
      "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(resume)\r\n")
    try await stream.executeThenClose { inbound, _ in
      var reader = EventReader(inbound.makeAsyncIterator())
      try await body(&reader)
    }
  }

  private func open(_ request: String) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    while true {
      do {
        return try await connect(sending: request)
      } catch ChannelError.ioOnClosedChannel {
        // Nothing was sent: this process stood still until the server gave the connection up.
        continue
      }
    }
  }

  private func connect(
    sending request: String
  ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    try await channel.channel.writeAndFlush(ByteBuffer(string: request))
    return channel
  }
}

/// Parses `text/event-stream` from chunks.
struct EventReader {
  struct Event: Hashable {
    var name = ""
    var id = ""
    var data = ""

    var json: JSON { JSON.read(of: data) }
  }

  private var pieces: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private var text = ""

  init(_ pieces: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.pieces = pieces }

  /// Returns nil at the end of the stream.
  mutating func next() async throws -> Event? {
    while true {
      while let end = text.range(of: "\n\n") {
        let block = text[..<end.lowerBound]
        text = String(text[end.upperBound...])
        var event = Event()
        for line in block.components(separatedBy: "\n") {
          if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
          if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
          if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
        }
        if !event.name.isEmpty { return event }
      }
      guard let piece = try await pieces.next() else { return nil }
      text += String(buffer: piece).replacing("\r\n", with: "\n")
    }
  }
}
