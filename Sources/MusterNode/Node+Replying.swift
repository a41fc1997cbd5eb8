internal import Foundation
public import MusterModel
internal import MusterReplica

/// Commands of clients that may send them again: at most once for each idempotency key.
extension Node {
  /// Performs a command that writes rows or this device's position, or returns the reply of the
  /// first attempt, also after a restart. Any other command is performed each time.
  ///
  /// - Parameter condition: the row and its version that the client saw, as for `perform(_:if:)`.
  public func perform(
    _ command: Command, once request: RequestKey, if condition: RowCondition? = nil
  ) async -> Reply {
    if command.appends { await untilPeersAnswered() }
    if let write = command.rowWrite {
      return await gather(Self.once(request, Self.write(write, if: condition)))
    }
    guard case .setPosition(let fix) = command else { return await perform(command) }
    do {
      return try setPosition(fix, once: request)
    } catch {
      return .refused(error)
    }
  }

  /// Returns the stored reply to a request; nil if there is none. Throws `Refusal` if its key
  /// belongs to another request.
  public func storedReply(to request: RequestKey) throws -> [UInt8]? {
    try read { replica, _ in try replica.reply(to: request) }
  }

  /// Stores the reply to a request. On return it is durable.
  public func store(reply: [UInt8], to request: RequestKey) throws {
    try attempt { try $0.store(reply: reply, to: request, now: $1) }
  }

  private func setPosition(_ fix: Fix, once request: RequestKey) throws -> Reply {
    if let known = try storedReply(to: request) { return try Reply(stored: known) }
    let reply = try Reply.done.stored()
    try attempt { replica, now in
      try Self.check(fix, now: now)
      return try replica.ingest(fix, replying: reply, to: request, now: now)
    }
    return .done
  }

  private static func once(
    _ request: RequestKey, _ write: @escaping Command.RowWrite
  ) -> Command.RowWrite {
    { replica, now in
      let (content, outcome) = try replica.performOnce(request, now: now) { replica in
        try write(&replica, now).reply.stored()
      }
      return (try Reply(stored: content), outcome)
    }
  }
}

extension Command {
  /// Whether its reply is stored with what it writes.
  public var isStoredOnce: Bool {
    if case .setPosition = self { true } else { rowWrite != nil }
  }
}

extension Reply {
  fileprivate init(stored content: [UInt8]) throws {
    self = try JSONDecoder().decode(Reply.self, from: Data(content))
  }

  fileprivate func stored() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }
}
