package import MusterCrypto

/// A cache of signature checks and opened announces, which the devices of a simulation share.
///
/// A node has none. An implementation MUST return what the real code returns for exactly these
/// bytes.
package protocol VerificationCache: AnyObject, Sendable {
  /// Returns whether the signature of a message is valid under a key.
  func isValid(_ signature: Signature, for message: [UInt8], by key: VerifyingKey) -> Bool

  /// Returns an opened announce. `open` opens one that is not in the cache.
  func announce(
    _ bytes: [UInt8], open: ([UInt8]) throws(WireError) -> Announce.Unverified?
  ) throws(WireError) -> Announce.Unverified?
}

extension VerifyingKey {
  /// Returns whether the signature of a message is valid under this key, from the cache if there is
  /// one.
  func isValid(
    _ signature: Signature, for message: [UInt8], sharing cache: (any VerificationCache)?
  ) -> Bool {
    cache?.isValid(signature, for: message, by: self) ?? isValid(signature, for: message)
  }
}
