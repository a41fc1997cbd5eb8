internal import Hummingbird
internal import NIOCore
internal import Synchronization

extension Request {
  /// Returns the response to this request. Its body is read as the client sends it: after
  /// `100 Continue` if it waits for that, and decompressed. A head that is not plain is refused.
  func answered(
    on connection: Connection, by answer: (Request) async throws -> Response
  ) async throws -> Response {
    if let fault = headFault {
      connection.closeSoon()
      return fault.answer.response
    }
    var request = self
    let awaited = isAwaitingContinue ? AwaitedBody(body, connection) : nil
    if let awaited { request.body = RequestBody(asyncSequence: awaited) }
    if contentCodings.contains("gzip") || contentCodings.contains("x-gzip") {
      request.body = RequestBody(asyncSequence: GzipBody(compressed: request.body))
    }
    var response: Response
    do {
      response = try await answer(request)
    } catch let problem as Problem {
      response = problem.answer.response
    }
    if let awaited, !awaited.isRead {
      // The client may send the body or not: what follows is not certain.
      response.headers[.connection] = "close"
      connection.closeSoon()
    }
    return response
  }

  private var isAwaitingContinue: Bool {
    value(of: "expect")?.lowercased() == "100-continue"
  }
}

/// A body that the client sends when it has received `100 Continue` (RFC 9110 10.1.1), which is
/// sent when the body is read: not to a client that is refused.
private final class AwaitedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  private let body: RequestBody
  private let connection: Connection
  private let wasRead = Atomic(false)

  init(_ body: RequestBody, _ connection: Connection) {
    (self.body, self.connection) = (body, connection)
  }

  var isRead: Bool { wasRead.load(ordering: .relaxed) }

  func makeAsyncIterator() -> RequestBody.AsyncIterator {
    if !wasRead.exchange(true, ordering: .relaxed) { connection.sendContinue() }
    return body.makeAsyncIterator()
  }
}

/// The content of a body that its client compressed by gzip. Its reader bounds the content, as that
/// of any body. Throws a `Problem` for what is not gzip.
private struct GzipBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer

  let compressed: RequestBody

  func makeAsyncIterator() -> Iterator { Iterator(source: compressed.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var source: RequestBody.AsyncIterator
    private var stream: GzipStream?

    fileprivate init(source: RequestBody.AsyncIterator) { self.source = source }

    mutating func next() async throws -> ByteBuffer? {
      do {
        let stream = try stream ?? GzipStream()
        self.stream = stream
        while true {
          if let piece = try stream.next() { return ByteBuffer(bytes: piece) }
          guard let more = try await source.next() else { break }
          stream.append(more.readableBytesView)
        }
        try stream.checkEnd()
        return nil
      } catch let fault as Gzip.Fault {
        throw Problem(.badRequest, "the body cannot be read: \(fault)", at: Request.contentCoding)
      }
    }
  }
}
