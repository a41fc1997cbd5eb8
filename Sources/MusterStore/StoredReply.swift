public import MusterModel

/// The reply to a request with an idempotency key, stored with what the request wrote.
public struct StoredReply: Hashable, Sendable {
  /// The request.
  public let request: RequestKey
  /// The reply, as the caller of the store encoded it.
  public let content: [UInt8]
  /// When it was stored here.
  public let storedAt: Timestamp

  /// Creates a reply to store.
  public init(request: RequestKey, content: [UInt8], storedAt: Timestamp) {
    self.request = request
    self.content = content
    self.storedAt = storedAt
  }
}

extension Store {
  /// Returns the stored reply to a request; nil if none is stored under its name. A `Batch` stores
  /// it. The fingerprint may be that of another request.
  public func reply(named name: Bytes32) throws(StoreError) -> StoredReply? {
    try read { try ReplyTable.reply(named: name, in: $0) }
  }
}
