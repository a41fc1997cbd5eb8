/// The idempotency key of a request: its client, its name, and what it asks for
/// (draft-ietf-httpapi-idempotency-key-header).
public struct RequestKey: Hashable, Sendable {
  /// Names the client whose keys share a bound.
  public let caller: Bytes16
  /// A hash of the caller and the key, by which the reply is found.
  public let name: Bytes32
  /// A hash of the request: the same key with another one is an error of the client.
  public let fingerprint: Bytes32

  /// Creates a key. Nothing is validated here.
  public init(caller: Bytes16, name: Bytes32, fingerprint: Bytes32) {
    self.caller = caller
    self.name = name
    self.fingerprint = fingerprint
  }
}
