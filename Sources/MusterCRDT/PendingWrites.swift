public import MusterModel

/// What waits beside a row for other writes: writes that arrived before the row's origin, and
/// superseders of writes that are not applied yet. Anyone can name what does not exist, so both may
/// be many; a row states their numbers only, and reads none of them until one is wanted.
public protocol PendingWrites {
  /// Thrown where what waits cannot be read or written.
  associatedtype Failure: Error = Never

  /// Whether the frame of a dot is applied; the frame that is being applied may count either way.
  /// It distinguishes a superseded value that is gone from one that has yet to arrive, and is
  /// called only for dots that are not live.
  func isApplied(_ frame: Bytes16) throws(Failure) -> Bool

  /// Keeps a write until the row has an origin.
  mutating func keep(_ write: PlacedWrite) throws(Failure)

  /// Removes and returns the writes that wait for the origin of a row, by dot.
  mutating func takeWrites(of row: RowKey) throws(Failure) -> [PlacedWrite]

  /// Keeps who supersedes a write that is not applied yet. Returns false if that is known.
  mutating func keep(
    _ superseder: Superseder, of write: FieldDot, in row: RowKey
  ) throws(Failure) -> Bool

  /// Removes and returns who supersedes a write.
  mutating func takeSuperseders(
    of write: FieldDot, in row: RowKey
  ) throws(Failure) -> [Superseder]
}

/// Whose values a write may supersede by naming them.
public enum Superseder: Hashable, Sendable {
  /// Those of every author.
  case ofEveryone
  /// Those of one user: in a set only the element's own author or `command` may.
  case of(UserID)

  /// Whether it supersedes the values of this user.
  func covers(_ user: UserID) -> Bool { self == .ofEveryone || self == .of(user) }
}

/// The name of a value within a row.
public struct FieldDot: Hashable, Sendable {
  /// The field, which a dot does not state.
  public let field: Field
  /// The name of the write.
  public let dot: Dot

  /// Names a value, whether or not it exists.
  public init(field: Field, dot: Dot) {
    self.field = field
    self.dot = dot
  }
}

/// A write and the place of its frame.
public struct PlacedWrite: Hashable, Sendable {
  /// The write.
  public let authored: AuthoredWrite
  /// The place of its frame in the log.
  public let place: LogPosition

  /// The name of the write.
  public var dot: Dot { authored.dot }
}
