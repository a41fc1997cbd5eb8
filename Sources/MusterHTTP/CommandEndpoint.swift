internal import Hummingbird
internal import MusterControl
internal import NIOCore
internal import ServiceLifecycle

/// Performs the commands of the command line, on the node's own socket: `POST /api/v1/commands`.
///
///     body ─▶ command ─▶ node ─▶ one message
///             follow request ──▶ bounded queue ─▶ message, message, …
///
/// A command has no time limit. A follower that is too slow misses the oldest messages; a follower
/// that disconnects is detected even without events. At shutdown a running command is completed and
/// answered, and the streams end.
struct CommandEndpoint: Sendable {
  /// Messages queued for one follower.
  static let bound = 64

  let performer: any CommandPerformer

  func answer(_ request: Request, connection: Connection) async -> Answer {
    do {
      return try await result(of: request, connection)
    } catch let problem as Problem {
      return problem.answer
    } catch let fault as ControlFault {
      return Problem(.badRequest, "\(fault)").answer
    } catch {
      return Problem(.serviceUnavailable, "\(error)").answer
    }
  }

  private func result(of request: Request, _ connection: Connection) async throws -> Answer {
    guard request.method == .post else {
      throw Problem(.methodNotAllowed, "only POST", allowed: ["POST"])
    }
    guard request.headers[.contentType]?.lowercased() == CommandExchange.mediaType else {
      throw Problem(.unsupportedMediaType, "send \(CommandExchange.mediaType)")
    }
    let body: [UInt8]
    do {
      body = Array(buffer: try await request.body.collect(upTo: ControlLimits.requestBytes))
    } catch is NIOTooManyBytesError {
      throw Problem(
        .contentTooLarge, "a command has at most \(ControlLimits.requestBytes) bytes")
    }
    connection.keepOpen()
    switch try await CommandExchange.answer(to: body, by: performer) {
    case .whole(let message):
      return Answer(.ok, bytes: ByteBuffer(bytes: message), type: CommandExchange.mediaType)
    case .following(let messages): return Self.following(messages, connection)
    }
  }

  private static func following(
    _ messages: any AsyncSequence<[UInt8], Never> & Sendable, _ connection: Connection
  ) -> Answer {
    Answer(streaming: CommandExchange.streamType) { writer in
      let (waiting, queue) = AsyncStream.makeStream(
        of: [UInt8].self, bufferingPolicy: .bufferingNewest(bound))
      connection.whenClosed { queue.finish() }
      try await withGracefulShutdownHandler {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for await message in messages { queue.yield(message) }
            queue.finish()
          }
          defer { group.cancelAll() }
          for await message in waiting { try await writer.write(ByteBuffer(bytes: message)) }
        }
        try await writer.finish(nil)
      } onGracefulShutdown: {
        queue.finish()
        connection.closeSoon()
      }
    }
  }
}
