/// A sixteen-byte name. Each thing that has one wraps it in a type of its own, so that the
/// compiler keeps a log from being taken for a row.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
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

  public var bytes: [UInt8] { raw.bytes }
  public var description: String { Hex.encode(raw.bytes) }
  /// The first eight digits: enough for a person to tell two apart.
  public var short: String { String(description.prefix(8)) }

  public static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

/// A hash of the operation's root public key; the unit of replication and of trust.
public struct OperationID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// A person in the operation.
public struct UserID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// A hash of one enrolled laptop's signing key.
public struct DeviceID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// One life of a device's database: drawn at random, anew whenever that database may have been
/// restored or cloned.
public struct Incarnation: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// One append-only hash chain: a hash of (operation, certificate, incarnation, lane).
public struct LogID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// One user, report or geofence.
public struct RowID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// A hash of one group content key.
public struct EpochID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// What a latest-only record is about: a hash of (author's certificate, kind, subject).
public struct RecordTopic: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// One crossing of one fence by one subject.
public struct CrossingID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// One invitation to join; a hash of its secret.
public struct InviteID: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}
