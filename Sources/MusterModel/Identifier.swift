/// A sixteen-byte name. Each thing that has one wraps it in a type of its own, so that the
/// compiler keeps a log from being taken for a row.
public protocol Identifier: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  var raw: Bytes16 { get }
  init(raw: Bytes16)
}

extension Identifier {
  /// Nil unless there are exactly sixteen bytes.
  public init?(bytes: some Sequence<UInt8>) {
    guard let raw = Bytes16(bytes) else { return nil }
    self.init(raw: raw)
  }

  /// Nil unless the text is 32 hexadecimal digits.
  public init?(hex: String) {
    guard let bytes = Hex.decode(hex) else { return nil }
    self.init(bytes: bytes)
  }

  /// Sixteen bytes, as they are written on the wire.
  public var bytes: [UInt8] { raw.bytes }
  /// 32 lower-case hexadecimal digits.
  public var description: String { Hex.encode(raw.bytes) }
  /// The first eight digits: enough for a person to tell two apart.
  public var short: String { String(description.prefix(8)) }

  /// The order of the bytes: the same on every node.
  public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

/// A hash of the operation's root public key; the unit of replication and of trust.
public struct OperationID: Identifier {
  /// BLAKE2b-128 of the root public key.
  public let raw: Bytes16
  /// Takes an id as it was stored or received; a new one is made from the root key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// A person in the operation.
public struct UserID: Identifier {
  /// BLAKE2b-128 of the operation and the key of the user's first device; also the id of the user's
  /// row.
  public let raw: Bytes16
  /// Takes an id as it was stored or received; a new one is made from a device's key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// A hash of one enrolled laptop's signing key.
public struct DeviceID: Identifier {
  /// BLAKE2b-128 of the operation and the signing key.
  public let raw: Bytes16
  /// Takes an id as it was stored or received; a new one is made from a key.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One life of a device's database: drawn at random, anew whenever that database may have been
/// restored or cloned.
public struct Incarnation: Identifier {
  /// Random: nobody can tell it beforehand.
  public let raw: Bytes16
  /// The caller MUST have drawn new bytes from a strong source, or give those of a life that goes
  /// on.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One append-only hash chain: a hash of (operation, certificate, incarnation, lane).
public struct LogID: Identifier {
  /// BLAKE2b-128 of what the opening says, so that an opening cannot claim another's log.
  public let raw: Bytes16
  /// Takes an id as it was stored or received; a new one is made from an opening's fields.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One user, report, geofence, directive or whatever else is replicated as a row.
public struct RowID: Identifier {
  /// BLAKE2b-128 of operation, owner and nonce; for a user and their settings the user's id.
  public let raw: Bytes16
  /// Takes an id as it was stored, received or typed; a new one is made from an origin.
  public init(raw: Bytes16) { self.raw = raw }
}

/// A hash of one group content key.
public struct EpochID: Identifier {
  /// BLAKE2b-128 of the operation and the key, so that a key proves its own id.
  public let raw: Bytes16
  /// Takes an id as it was stored or received; a new one is made from a key.
  public init(raw: Bytes16) { self.raw = raw }
  /// What stands for "not sealed" in fixed-width forms.
  public static let none = EpochID(raw: .zero)
}

/// What a latest-only record is about: a hash of (author's certificate, kind, subject).
public struct RecordTopic: Identifier {
  /// BLAKE2b-128, never sent: it follows from the record.
  public let raw: Bytes16
  /// Takes a topic as it was stored; a new one is made from a certificate and a kind.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One crossing of one fence by one subject.
public struct CrossingID: Identifier {
  /// BLAKE2b-128 of subject, incarnation, fence, fence version and transition.
  public let raw: Bytes16
  /// Takes an id as it was stored; a new one is made from a crossing.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One invitation to join; a hash of its secret.
public struct InviteID: Identifier {
  /// BLAKE2b-128 of the secret, sent in the clear: it names an invite without giving it away.
  public let raw: Bytes16
  /// Takes an id as it was stored or received; a new one is made from a secret.
  public init(raw: Bytes16) { self.raw = raw }
}
