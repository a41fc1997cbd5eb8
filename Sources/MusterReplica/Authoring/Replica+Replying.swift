public import MusterModel
internal import MusterStore

/// Requests with an idempotency key: each is performed once, and its reply is durable in the
/// transaction of its writes. A crash between the commit and the answer leaves the reply for the
/// client's next attempt.
extension Replica {
  /// Returns the stored reply to a request; nil if it was not performed. Throws `Refusal` if its
  /// key belongs to another request.
  public func reply(to request: RequestKey) throws -> [UInt8]? {
    let gathered = core.transaction.writeGroup?.replies.last { $0.request.name == request.name }
    return try (gathered ?? core.store.reply(named: request.name))?.content(for: request)
  }

  /// Performs a write that has an idempotency key, or returns the reply of its first attempt.
  ///
  /// - Parameter work: MUST only write rows, as in `gather`; returns the reply to store.
  public mutating func performOnce(
    _ request: RequestKey, now: ClockReading, _ work: (inout Replica) throws -> [UInt8]
  ) throws -> (reply: [UInt8], outcome: Outcome) {
    if let known = try reply(to: request) { return (known, Outcome()) }
    guard core.transaction.writeGroup == nil else {
      let reply = try work(&self)
      core.transaction.writeGroup?.keep(
        StoredReply(request: request, content: reply, storedAt: now.wall))
      return (reply, Outcome())
    }
    var reply: [UInt8] = []
    let outcome = try gather(now: now) { replica in
      reply = try replica.performOnce(request, now: now, work).reply
    }
    return (reply, outcome)
  }

  /// Stores the reply to a request that was performed already.
  public mutating func store(
    reply: [UInt8], to request: RequestKey, now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) {
      $0.core.transaction.batch.replies.append(
        StoredReply(request: request, content: reply, storedAt: now.wall))
    }
  }
}

extension StoredReply {
  /// Returns the content; throws `Refusal` if it is the reply to another request.
  fileprivate func content(for request: RequestKey) throws(Refusal) -> [UInt8] {
    guard self.request.fingerprint == request.fingerprint else {
      throw Refusal("this Idempotency-Key belongs to another request: send a new key")
    }
    return content
  }
}
