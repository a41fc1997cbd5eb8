/// Who created a row, with the random bytes that its id is the hash of. Anyone can check that
/// `row id = BLAKE2b-128("muster row 1" ‖ operation ‖ owner ‖ nonce)`, so nobody can create a row
/// that another owns.
public struct RowOrigin: Hashable, Sendable {
  public let owner: UserID
  public let nonce: Bytes16

  public init(owner: UserID, nonce: Bytes16) {
    self.owner = owner
    self.nonce = nonce
  }
}

/// One change to one field of one row: what it puts there, if anything, and the dots that its
/// author saw there and that it replaces.
public struct Write: Hashable, Sendable {
  public var row: RowID
  public var field: Field
  /// Nil only takes away: a flag cleared, a set element or an existence removed.
  public var value: Value?
  /// At most `Limits.supersededDots`.
  public var supersedes: [Dot]
  /// Given by the create, and by writes in the `urgent` lane, whose row may have been created in
  /// another lane that has not arrived yet.
  public var origin: RowOrigin?

  public init(
    row: RowID, field: Field, value: Value?, supersedes: [Dot] = [], origin: RowOrigin? = nil
  ) {
    self.row = row
    self.field = field
    self.value = value
    self.supersedes = supersedes
    self.origin = origin
  }
}

/// A row is known by what it is and its id; the same id under two kinds is two rows.
public struct RowKey: Hashable, Comparable, Sendable {
  public let kind: EntityKind
  public let id: RowID

  public init(kind: EntityKind, id: RowID) {
    self.kind = kind
    self.id = id
  }

  public static func < (left: RowKey, right: RowKey) -> Bool {
    left.kind != right.kind ? left.kind < right.kind : left.id < right.id
  }
}

extension Write {
  public var key: RowKey { RowKey(kind: field.entity, id: row) }
}

/// On whose authority a write stands: the holder of the certificate that its log was opened with.
public struct Author: Hashable, Sendable {
  public let user: UserID
  public let device: DeviceID
  public let role: Role

  public init(user: UserID, device: DeviceID, role: Role) {
    self.user = user
    self.device = device
    self.role = role
  }
}

/// A write in its place: who signed it, what it is called, and when its author claims it was made.
public struct AuthoredWrite: Hashable, Sendable {
  public let write: Write
  public let dot: Dot
  public let author: Author
  public let writtenAt: Timestamp

  public init(write: Write, dot: Dot, author: Author, writtenAt: Timestamp) {
    self.write = write
    self.dot = dot
    self.author = author
    self.writtenAt = writtenAt
  }
}
