import MusterCrypto
import MusterSync
import Synchronization

/// The signatures that were verified in this process: thousands of devices receive the same frames,
/// and the first one to do so verifies each for all.
final class VerifiedSignatures: VerificationCache {
  /// All that a check depends on. Only the signature is hashed: no two messages have the same one.
  private struct Claim: Hashable {
    let key: VerifyingKey
    let signature: Signature
    let message: [UInt8]

    func hash(into hasher: inout Hasher) { hasher.combine(signature.bytes.prefix(16)) }
  }

  private let verdicts = Mutex<[Claim: Bool]>([:])
  private static let most = 65_536

  func isValid(_ signature: Signature, for message: [UInt8], by key: VerifyingKey) -> Bool {
    let claim = Claim(key: key, signature: signature, message: message)
    return verdicts.withLock { verdicts in
      if let known = verdicts[claim] { return known }
      if verdicts.count >= Self.most { verdicts = [:] }
      let isValid = key.isValid(signature, for: message)
      verdicts[claim] = isValid
      return isValid
    }
  }

  func announce(
    _ bytes: [UInt8], open: ([UInt8]) throws(WireError) -> Announce.Unverified?
  ) throws(WireError) -> Announce.Unverified? {
    try open(bytes)
  }
}
