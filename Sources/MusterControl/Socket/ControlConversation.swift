internal import MusterNode
internal import NIOCore
internal import ServiceLifecycle

/// One client's requests, answered in order.
///
/// ```
///  socket ──▶ reader ──▶ pending requests (bounded) ──▶ worker ──▶ socket
/// ```
///
/// The reader goes on while the worker is busy, so that a follower that goes away is noticed even
/// where nothing happens that it could be told.
struct ControlConversation: Sendable {
  let performer: any CommandPerformer
  let outbound: NIOAsyncChannelOutboundWriter<[UInt8]>

  /// Returns when the client has closed its side, at shutdown, or after a message that is none.
  func run(_ inbound: NIOAsyncChannelInboundStream<[UInt8]>) async throws {
    let (requests, pending) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(ControlLimits.pendingRequests))
    try await withGracefulShutdownHandler {
      try await withThrowingTaskGroup { group in
        group.addTask {
          defer { pending.finish() }
          for try await message in inbound {
            guard case .enqueued = pending.yield(message) else { return }
          }
        }
        // Without a worker nobody answers: the reader ends with it. Not so the other way round:
        // what is being worked on when the client has said all is still answered.
        defer { group.cancelAll() }
        try await answer(requests)
      }
    } onGracefulShutdown: {
      pending.finish()
    }
  }

  private func answer(_ requests: AsyncStream<[UInt8]>) async throws {
    for await message in requests {
      let request: Request
      do {
        request = try Request(decoding: message)
      } catch {
        try await send(.refused(error.description))
        return
      }
      switch request {
      case .command(let command): try await send(await performer.perform(command))
      case .follow(let after):
        let crossings = await performer.crossings(after: after)
        return try await follow(crossings, until: requests, as: Reply.events)
      case .followAlerts(let standing):
        let alerts = await performer.alertChanges(standing: standing)
        return try await follow(alerts, until: requests, as: Reply.alertChanges)
      case .followChanges:
        return try await follow(await performer.changes(), until: requests, as: Reply.changes)
      }
    }
  }

  private func send(_ reply: Reply) async throws {
    let bytes = Response(reply: reply).encoded()
    guard bytes.count <= ControlLimits.responseBytes else {
      let fault = ControlFault.tooLong(bytes: bytes.count, limit: ControlLimits.responseBytes)
      return try await outbound.write(Response(reply: .refused("\(fault)")).encoded())
    }
    try await outbound.write(bytes)
  }

  private func follow<Element: Sendable>(
    _ stream: AsyncStream<Element>, until requests: AsyncStream<[UInt8]>,
    as reply: @escaping @Sendable (Element) -> Reply
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        for await element in stream { try await send(reply(element)) }
      }
      // Ends when the client closes or says anything: both mean that it has heard enough.
      group.addTask { for await _ in requests { return } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
