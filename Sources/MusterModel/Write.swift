/// The creator of a row and the random bytes of its id. Any node can check that `row id =
/// BLAKE2b-128("muster row 1" ‖ operation ‖ owner ‖ nonce)`, so no one can create a row that
/// another user owns.
public struct RowOrigin: Hashable, Sendable {
  /// Hashed into the row's id, so that another user cannot claim the row later.
  public let owner: UserID
  /// Random, drawn by the owner for this row only; derived from the name of a record, or of a
  /// tracker.
  public let nonce: Bytes16

  /// Creates an origin. `nonce` MUST be newly drawn, derived, or that of an existing row.
  public init(owner: UserID, nonce: Bytes16) {
    self.owner = owner
    self.nonce = nonce
  }
}

/// One change to one field of one row: the new value, if any, and the dots that its author saw
/// there and that it supersedes.
public struct Write: Hashable, Sendable {
  /// The row, which need not have arrived: a write to an unknown row waits for its origin.
  public var row: RowID
  /// The field, which also determines the kind of the row.
  public var field: Field
  /// Nil only supersedes: it clears a flag, or removes a set element or an existence.
  public var value: Value?
  /// At most `Limits.supersededDots`.
  public var supersedes: [Dot]
  /// Whether it also supersedes all earlier writes of its own log to the field: their author has
  /// always seen them, so they need no names.
  public var takesEarlier: Bool
  /// Present in the create, and in writes in the `urgent` lane, whose row may have been created in
  /// another lane that has not arrived yet.
  public var origin: RowOrigin?

  /// Creates a write. `supersedes` is what the author saw live; dots of other rows or fields have
  /// no effect.
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

/// Identifies a row by kind and id; the same id with two kinds is two rows.
public struct RowKey: Hashable, Comparable, Sendable {
  /// The kind, the first part of the order.
  public let kind: EntityKind
  /// Unique only within its kind.
  public let id: RowID

  /// Identifies a row, whether or not it is held.
  public init(kind: EntityKind, id: RowID) {
    self.kind = kind
    self.id = id
  }

  /// Orders by kind, then by id, as the state hash does.
  public static func < (left: RowKey, right: RowKey) -> Bool {
    left.kind != right.kind ? left.kind < right.kind : left.id < right.id
  }
}

extension Write {
  /// The row that this write changes; its kind follows from the field.
  public var key: RowKey { RowKey(kind: field.entity, id: row) }
}

/// The author of a write: the holder of the certificate that its log was opened with.
public struct Author: Hashable, Sendable {
  /// The user, who owns rows; devices do not.
  public let user: UserID
  /// The device that signed it.
  public let device: DeviceID
  /// The role of that device's certificate; the user's other devices may have other roles.
  public let role: Role

  /// Creates an author. All three MUST come from one valid certificate.
  public init(user: UserID, device: DeviceID, role: Role) {
    self.user = user
    self.device = device
    self.role = role
  }
}

/// A write with its author, its name and its claimed time.
public struct AuthoredWrite: Hashable, Sendable {
  /// The signed content.
  public let write: Write
  /// The name that later writes refer to.
  public let dot: Dot
  /// From the certificate that the log was opened with.
  public let author: Author
  /// The time that the frame claims for all its writes: a label.
  public let writtenAt: Timestamp
  /// The person or login that the author's device claims to have written for; nil for its own
  /// user.
  public let onBehalfOf: Principal?

  /// Creates a write. The caller MUST have verified the frame: its author is trusted from here on.
  public init(
    write: Write, dot: Dot, author: Author, writtenAt: Timestamp, onBehalfOf: Principal? = nil
  ) {
    self.write = write
    self.dot = dot
    self.author = author
    self.writtenAt = writtenAt
    self.onBehalfOf = onBehalfOf
  }
}
