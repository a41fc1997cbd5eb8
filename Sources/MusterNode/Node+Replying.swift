public import MusterModel
internal import MusterReplica

/// Commands of clients that may send them again.
extension Node {
  /// Performs a command on a condition, or at most once for an idempotency key: also after a
  /// restart it then returns the reply of the first attempt. Only commands that write rows, or this
  /// device's position, have these guarantees: any other one is performed.
  ///
  /// - Parameters:
  ///   - condition: MUST hold for the write; the check and the write are atomic.
  ///   - onBehalfOf: the person or login that this device writes rows for; nil for its own user.
  public func perform(
    _ command: Command, once request: RequestKey?, if condition: RowCondition? = nil,
    onBehalfOf principal: Principal? = nil
  ) async -> Reply {
    if command.appends { await untilPeersAnswered() }
    if let write = command.rowWrite {
      let performed = RowWriter.performing(write, onBehalfOf: principal)
      return await gather(Command.once(request, Command.write(performed, if: condition)))
    }
    guard case .setPosition(let fix) = command else { return await perform(command) }
    return alone { (.done, try $0.setPosition(fix, once: request, now: $1)) }
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
}
