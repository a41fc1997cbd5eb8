/// Who created a row, with the random bytes that its id is the hash of. Anyone can check that
/// `row id = BLAKE2b-128("muster row 1" ‖ operation ‖ owner ‖ nonce)`, so nobody can create a row
/// that another owns.
public struct RowOrigin: Hashable, Sendable {
  /// Hashed into the row's id, so that nobody can claim the row later.
  public let owner: UserID
  /// Random, drawn by the owner for this row and used for no other.
  public let nonce: Bytes16

  /// The caller MUST have drawn `nonce` anew, or give that of a row that exists.
  public init(owner: UserID, nonce: Bytes16) {
    self.owner = owner
    self.nonce = nonce
  }
}

/// One change to one field of one row: what it puts there, if anything, and the dots that its
/// author saw there and that it replaces.
public struct Write: Hashable, Sendable {
  /// Need not have arrived: a write to an unknown row waits for its origin.
  public var row: RowID
  /// Says by itself what kind of row `row` is.
  public var field: Field
  /// Nil only takes away: a flag cleared, a set element or an existence removed.
  public var value: Value?
  /// At most `Limits.supersededDots`.
  public var supersedes: [Dot]
  /// Whether it also replaces whatever earlier frames of its own log wrote to the field: an author
  /// has always seen that, and it needs no names.
  public var takesEarlier: Bool
  /// Given by the create, and by writes in the `urgent` lane, whose row may have been created in
  /// another lane that has not arrived yet.
  public var origin: RowOrigin?

  /// `supersedes` is what the author saw live; a dot of another row or field takes nothing away.
  public init(
    row: RowID, field: Field, value: Value?, supersedes: [Dot] = [],
    takesEarlier: Bool = false, origin: RowOrigin? = nil
  ) {
    self.row = row
    self.field = field
    self.value = value
    self.supersedes = supersedes
    self.takesEarlier = takesEarlier
    self.origin = origin
  }
}

/// A row is known by what it is and its id; the same id under two kinds is two rows.
public struct RowKey: Hashable, Comparable, Sendable {
  /// First in the order: users, reports, fences.
  public let kind: EntityKind
  /// Unique within its kind only.
  public let id: RowID

  /// Names a row whether or not it is held.
  public init(kind: EntityKind, id: RowID) {
    self.kind = kind
    self.id = id
  }

  /// By kind, then by id: the order in the state hash.
  public static func < (left: RowKey, right: RowKey) -> Bool {
    left.kind != right.kind ? left.kind < right.kind : left.id < right.id
  }
}

extension Write {
  /// The row that this changes, whose kind follows from the field.
  public var key: RowKey { RowKey(kind: field.entity, id: row) }
}

/// On whose authority a write stands: the holder of the certificate that its log was opened with.
public struct Author: Hashable, Sendable {
  /// Whose rights count: owners are users, not devices.
  public let user: UserID
  /// Which of the user's devices signed it.
  public let device: DeviceID
  /// What that device's certificate grants; a user's other devices may have other roles.
  public let role: Role

  /// The caller MUST take all three from one certificate that counts.
  public init(user: UserID, device: DeviceID, role: Role) {
    self.user = user
    self.device = device
    self.role = role
  }
}

/// A write in its place: who signed it, what it is called, and when its author claims it was made.
public struct AuthoredWrite: Hashable, Sendable {
  /// What was signed.
  public let write: Write
  /// What later writes name it by.
  public let dot: Dot
  /// By the certificate that the log was opened with.
  public let author: Author
  /// The frame's claim, shared by all its writes: a label.
  public let writtenAt: Timestamp

  /// The caller MUST have verified the frame: from here on the author is believed.
  public init(write: Write, dot: Dot, author: Author, writtenAt: Timestamp) {
    self.write = write
    self.dot = dot
    self.author = author
    self.writtenAt = writtenAt
  }
}
