/// What came of merging a bundle, or a piece of one: how much was new, how much was here already,
/// and what was not taken, and why.
public struct BundleTally: Codable, Hashable, Sendable {
  /// Of one kind of thing.
  public struct Count: Codable, Hashable, Sendable {
    /// Held from now on.
    public var new = 0
    /// Held before; of a record, the same or a newer one.
    public var known = 0
    /// Not taken.
    public var refused: [BundleRefusal: Int] = [:]

    /// Nothing yet.
    public init() {}

    /// How many were not taken, for whatever reason.
    public var refusedInAll: Int { refused.values.reduce(0, +) }

    /// Counts some that were not taken.
    public mutating func refuse(_ reason: BundleRefusal, _ count: Int) {
      if count > 0 { refused[reason, default: 0] += count }
    }

    mutating func add(_ other: Count) {
      new += other.new
      known += other.known
      refused.merge(other.refused, uniquingKeysWith: +)
    }
  }

  /// Frames of logs.
  public var frames = Count()
  /// Positions and receipts.
  public var records = Count()
  /// Keys that this laptop lacked, and can read with from now on.
  public var newKeys = 0
  /// Pieces that are not as they were written.
  public var damagedPieces = 0
  /// Pieces that say nothing this version understands.
  public var unreadablePieces = 0

  /// Nothing yet.
  public init() {}

  /// Counts what came of another piece.
  public mutating func add(_ other: BundleTally) {
    frames.add(other.frames)
    records.add(other.records)
    newKeys += other.newKeys
    damagedPieces += other.damagedPieces
    unreadablePieces += other.unreadablePieces
  }
}

/// Why something in a bundle was not taken. Numbers go over the node's socket.
public enum BundleRefusal: UInt8, Codable, CaseIterable, Comparable, Error, Sendable {
  /// A hash, a chain or a signature that does not hold.
  case forged = 1
  /// By a device whose certificate is not known here, and not in the bundle.
  case unknownAuthor = 2
  /// What it follows is not held here, and not in the bundle.
  case unattached = 3
  /// More of something than is held: logs, branches of one, or frames in quarantine.
  case overLimit = 4

  /// Its name in JSON.
  public var name: String {
    switch self {
    case .forged: "forged"
    case .unknownAuthor: "unknownAuthor"
    case .unattached: "unattached"
    case .overLimit: "overLimit"
    }
  }

  /// By number, so that they are listed alike everywhere.
  public static func < (left: BundleRefusal, right: BundleRefusal) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How a bundle ended. Numbers go over the node's socket.
public enum BundleEnd: UInt8, Codable, Sendable {
  /// With its end mark: all of it was looked at.
  case whole = 1
  /// Without: the file was cut off, or is still being written.
  case cutShort = 2
  /// Where the next piece begins cannot be told any more.
  case damaged = 3
}

/// A piece of a bundle that is being made.
public struct BundlePiece: Codable, Hashable, Sendable {
  /// What comes next in the file.
  @ByteString public var bytes: [UInt8]
  /// What to ask for the piece after it with; empty after the last.
  @ByteString public var next: [UInt8]
  /// In all pieces so far.
  public var frames: Int
  /// In all pieces so far.
  public var records: Int

  /// Names what a node says of it.
  public init(bytes: [UInt8], next: [UInt8], frames: Int, records: Int) {
    self.bytes = bytes
    self.next = next
    self.frames = frames
    self.records = records
  }
}

/// What came of a piece of a bundle that is being merged.
public struct BundleProgress: Codable, Hashable, Sendable {
  /// Of the bytes that were given, so many are done with.
  public var consumed: Int
  /// What to give with those that follow.
  @ByteString public var next: [UInt8]
  /// Of this piece alone.
  public var tally: BundleTally
  /// Nil while there is more to come.
  public var end: BundleEnd?

  /// Names what a node says of it.
  public init(consumed: Int, next: [UInt8], tally: BundleTally, end: BundleEnd?) {
    self.consumed = consumed
    self.next = next
    self.tally = tally
    self.end = end
  }
}
