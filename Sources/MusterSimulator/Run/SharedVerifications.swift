import MusterCrypto
import MusterSync

/// A cache of signature checks and opened announces for the devices of a world.
///
/// Hundreds of devices receive the same bytes and would compute the same results. Each result is
/// computed by the real code for exactly these bytes, on first use. Devices that share a cache MUST
/// have the same operation and rules version, and run on one thread.
///
/// Unchecked, because only one thread accesses it.
final class SharedVerifications: VerificationCache, @unchecked Sendable {
  /// The key of a signature check. All fields are compared, but only the signature is hashed: no
  /// two honest messages have the same one.
  private struct Claim: Hashable {
    let key: VerifyingKey
    let signature: Signature
    let message: [UInt8]

    func hash(into hasher: inout Hasher) { hasher.combine(firstOf: signature.bytes) }
  }

  /// The key of an opened announce. Kind, version and the start of the nonce are hashed.
  private struct Sealed: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) { hasher.combine(firstOf: bytes) }
  }

  private var verdicts = Recent<Claim, Bool>()
  private var announces = Recent<Sealed, Announce.Unverified>()

  func isValid(_ signature: Signature, for message: [UInt8], by key: VerifyingKey) -> Bool {
    let claim = Claim(key: key, signature: signature, message: message)
    if let known = verdicts[claim] { return known }
    let isValid = key.isValid(signature, for: message)
    verdicts[claim] = isValid
    return isValid
  }

  func announce(
    _ bytes: [UInt8], open: ([UInt8]) throws(WireError) -> Announce.Unverified?
  ) throws(WireError) -> Announce.Unverified? {
    let sealed = Sealed(bytes: bytes)
    if let known = announces[sealed] { return known }
    let opened = try open(bytes)
    if let opened { announces[sealed] = opened }
    return opened
  }

  /// A cache with two generations. When the newer one is full, it replaces the older one.
  private struct Recent<Key: Hashable, Value> {
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    subscript(key: Key) -> Value? {
      get { newer[key] ?? older[key] }
      set {
        if newer.count >= SharedVerifications.mostInGeneration {
          older = newer
          newer = [:]
        }
        newer[key] = newValue
      }
    }
  }

  private static let mostInGeneration = 4096
}

extension Hasher {
  fileprivate mutating func combine(firstOf bytes: [UInt8]) {
    bytes.withUnsafeBytes { combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(16))) }
  }
}
