/// A sixteen-byte identifier. Each kind has its own wrapper type, so that the compiler rejects a
/// log id where a row id is expected.
public protocol Identifier: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  var raw: Bytes16 { get }
  init(raw: Bytes16)
}

extension Identifier {
  /// Returns nil unless there are exactly sixteen bytes.
  public init?(bytes: some Sequence<UInt8>) {
    guard let raw = Bytes16(bytes) else { return nil }
    self.init(raw: raw)
  }

  /// Returns nil unless the text is 32 hexadecimal digits.
  public init?(hex: String) {
    guard let bytes = Hex.decode(hex) else { return nil }
    self.init(bytes: bytes)
  }

  /// The sixteen bytes, as on the wire.
  public var bytes: [UInt8] { raw.bytes }
  /// 32 lower-case hexadecimal digits.
  public var description: String { Hex.encode(raw.bytes) }
  /// The first eight digits, enough for a person to distinguish ids.
  public var short: String { String(description.prefix(8)) }

  /// The order of the bytes: the same on every node.
  public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

/// A hash of the operation's root public key; the unit of replication and of trust.
public struct OperationID: Identifier {
  /// BLAKE2b-128 of the root public key.
  public let raw: Bytes16
  /// Wraps an id that was stored or received; a new one is derived from the root key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// A person in the operation.
public struct UserID: Identifier {
  /// BLAKE2b-128 of the operation and the key of the user's first device; also the id of the user's
  /// row.
  public let raw: Bytes16
  /// Wraps an id that was stored or received; a new one is derived from a device's key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// A hash of one enrolled device's signing key.
public struct DeviceID: Identifier {
  /// BLAKE2b-128 of the operation and the signing key.
  public let raw: Bytes16
  /// Wraps an id that was stored or received; a new one is derived from a key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One lifetime of a device's database. A new value is drawn at random whenever that database may
/// have been restored or cloned.
public struct Incarnation: Identifier {
  /// Random, and therefore unpredictable.
  public let raw: Bytes16
  /// Wraps an incarnation. The caller MUST draw new bytes from a strong source, or pass those of a
  /// continuing incarnation.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One append-only hash chain: a hash of (operation, certificate, incarnation, lane).
public struct LogID: Identifier {
  /// BLAKE2b-128 of the opening's content, so that an opening cannot claim another log.
  public let raw: Bytes16
  /// Wraps an id that was stored or received; a new one is derived from an opening's fields.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One replicated row: a user, report, geofence, directive and so on.
public struct RowID: Identifier {
  /// BLAKE2b-128 of operation, owner and nonce; for a user and their settings the user's id.
  public let raw: Bytes16
  /// Wraps an id that was stored, received or typed; a new one is derived from an origin.
  public init(raw: Bytes16) { self.raw = raw }
}

/// A hash of one group key.
public struct EpochID: Identifier {
  /// BLAKE2b-128 of the operation and the key, so that a key proves its id.
  public let raw: Bytes16
  /// Wraps an id that was stored or received; a new one is derived from a key.
  public init(raw: Bytes16) { self.raw = raw }
  /// Represents "not sealed" in fixed-width encodings.
  public static let none = EpochID(raw: .zero)
}

/// The topic of a latest-only record: a hash of (author's certificate, kind, subject).
public struct RecordTopic: Identifier {
  /// BLAKE2b-128. Never sent, because it is derived from the record.
  public let raw: Bytes16
  /// Wraps a topic that was stored; a new one is derived from a certificate and a kind.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One crossing of one fence by one subject.
public struct CrossingID: Identifier {
  /// BLAKE2b-128 of subject, incarnation, fence, fence version and transition.
  public let raw: Bytes16
  /// Wraps an id that was stored; a new one is derived from a crossing.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One emergency contact, over all its edits.
public struct ContactID: Identifier {
  /// Random.
  public let raw: Bytes16
  /// Wraps an id that was stored or typed; a new one is drawn at random.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One exposure report, and the notice that command publishes of it.
public struct ExposureID: Identifier {
  /// A hash of the reporting device's `WithdrawalKey`.
  public let raw: Bytes16
  /// Wraps an id that was stored, received or typed; a new one is derived from a key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// The secret from which a reporting device derives the id of its report. Members read the id of a
/// published notice, and only the secret withdraws it.
public struct WithdrawalKey: Identifier {
  /// Random.
  public let raw: Bytes16
  /// Wraps a secret that was drawn, stored or received.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One invitation to join; a hash of its secret.
public struct InviteID: Identifier {
  /// BLAKE2b-128 of the secret, sent in the clear: it identifies an invite without revealing it.
  public let raw: Bytes16
  /// Wraps an id that was stored or received; a new one is derived from a secret.
  public init(raw: Bytes16) { self.raw = raw }
}
