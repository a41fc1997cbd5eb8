internal import MusterCrypto
internal import MusterModel

/// What devices that share a thread have found out about bytes that all of them are sent: whether a
/// signature holds, and what an announce says under the network key.
///
/// For simulations, in which hundreds of devices would find out the same one after the other. Every
/// finding is the real one, made by whoever asked first, of exactly these bytes; a node has none of
/// this. All who share one MUST be of one operation, of one rules version, and of one thread.
///
/// Unchecked, since one thread guards it.
public final class SharedFindings: @unchecked Sendable {
  /// All of it is compared; to be found, its signature is enough, which no two honest ones share.
  private struct Claim: Hashable {
    let key: VerifyingKey
    let signature: Signature
    let message: [UInt8]

    func hash(into hasher: inout Hasher) { hasher.combine(firstOf: signature.bytes) }
  }

  /// The same with what is sealed, which begins with its nonce.
  private struct Sealed: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) { hasher.combine(firstOf: bytes) }
  }

  private var verdicts = Recent<Claim, Bool>()
  private var announces = Recent<Sealed, Announce.Unverified>()

  /// Knows nothing yet.
  public init() {}

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

  /// Keeps what was asked for last: two generations; the older goes when the newer is full.
  private struct Recent<Key: Hashable, Value> {
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    subscript(key: Key) -> Value? {
      get { newer[key] ?? older[key] }
      set {
        if newer.count >= SharedFindings.mostInGeneration {
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

extension VerifyingKey {
  /// Whether this key's owner signed this message; asked of those who may have looked already.
  func isValid(
    _ signature: Signature, for message: [UInt8], sharing findings: SharedFindings?
  ) -> Bool {
    findings?.isValid(signature, for: message, by: self) ?? isValid(signature, for: message)
  }
}
