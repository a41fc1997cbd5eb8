/// The sixty-four bytes of an Ed25519 signature.
public struct Signature: Hashable, Sendable {
  /// The length of a signature.
  public static let byteCount = Ed25519.signatureBytes

  /// R ‖ S as RFC 8032 encodes them.
  public let bytes: [UInt8]

  /// Nil unless there are exactly sixty-four bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  init(valid bytes: [UInt8]) { self.bytes = bytes }
}
