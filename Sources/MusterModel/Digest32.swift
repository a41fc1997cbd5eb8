/// A thirty-two-byte BLAKE2b hash, wrapped per use like `Identifier`.
public protocol Digest32: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  var raw: Bytes32 { get }
  init(raw: Bytes32)
}

extension Digest32 {
  /// Returns nil unless there are exactly thirty-two bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard let raw = Bytes32(bytes) else { return nil }
    self.init(raw: raw)
  }

  /// The thirty-two bytes, as on the wire.
  public var bytes: [UInt8] { raw.bytes }
  /// 64 lower-case hexadecimal digits.
  public var description: String { Hex.encode(raw.bytes) }

  /// The order of the bytes: the same on every node.
  public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

/// The hash of a frame's header, which its author signs.
public struct FrameHash: Digest32 {
  /// BLAKE2b-256 of the header.
  public let raw: Bytes32
  /// Wraps a hash that was computed, stored or received.
  public init(raw: Bytes32) { self.raw = raw }
  /// Represents "no previous frame": the previous hash of an opening.
  public static let none = FrameHash(raw: .zero)
}

/// The hash of a certificate's signed bytes.
public struct CertificateHash: Digest32 {
  /// BLAKE2b-256 of the signed bytes; zeros stand for the root key.
  public let raw: Bytes32
  /// Wraps a hash that was computed, stored or received.
  public init(raw: Bytes32) { self.raw = raw }
  /// The operation's root key, which needs no certificate.
  public static let root = CertificateHash(raw: .zero)
}

/// The name of an item of membership evidence: a hash of what the item proves.
public struct EvidenceID: Digest32 {
  /// BLAKE2b-256 of the operation, the kind and what is proved.
  public let raw: Bytes32
  /// Takes a name as it was computed, stored or received.
  public init(raw: Bytes32) { self.raw = raw }
}

/// The hash of the canonical merged state; equal on nodes with the same frames and keys.
public struct StateHash: Digest32 {
  /// BLAKE2b-256 over rows and crossings in a fixed order.
  public let raw: Bytes32
  /// Wraps a hash that was computed or received.
  public init(raw: Bytes32) { self.raw = raw }
}

/// The hash of a council's content, which endorsements sign and votes name.
public struct CouncilHash: Digest32 {
  /// BLAKE2b-256 of the content; zeros stand for "made by the root key".
  public let raw: Bytes32
  /// Takes a hash as it was computed, stored or received.
  public init(raw: Bytes32) { self.raw = raw }
  /// The parent of a council that the root key made.
  public static let root = CouncilHash(raw: .zero)
}
