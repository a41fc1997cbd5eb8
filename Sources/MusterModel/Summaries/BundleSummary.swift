/// The result of merging a bundle or a piece of one: how much was new, known or rejected, and why.
public struct BundleTally: Codable, Hashable, Sendable {
  /// Counts for one kind of item.
  public struct Count: Codable, Hashable, Sendable {
    /// Items that were stored.
    public var new = 0
    /// Items that were held before; for a record, the same or a newer one.
    public var known = 0
    /// Items that were rejected, by reason.
    public var refused: [BundleRefusal: Int] = [:]

    /// Creates a count of zero.
    public init() {}

    /// The number of rejected items, for any reason.
    public var refusedInAll: Int { refused.values.reduce(0, +) }

    /// Counts rejected items.
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
  /// Units of photos, of 16 KiB each.
  public var photoUnits = Count()
  /// Epoch keys that were missing here and are now available.
  public var newKeys = 0
  /// Pieces whose checksum or format is wrong.
  public var damagedPieces = 0
  /// Pieces that this version cannot parse.
  public var unreadablePieces = 0

  /// Creates a tally of zero.
  public init() {}

  /// Adds the result of another piece.
  public mutating func add(_ other: BundleTally) {
    frames.add(other.frames)
    records.add(other.records)
    photoUnits.add(other.photoUnits)
    newKeys += other.newKeys
    damagedPieces += other.damagedPieces
    unreadablePieces += other.unreadablePieces
  }
}

/// Why an item of a bundle was rejected. Numbers are on the control socket.
public enum BundleRefusal: UInt8, Codable, CaseIterable, Comparable, Error, Sendable {
  /// A hash, chain or signature is wrong.
  case forged = 1
  /// The author's certificate is neither known here nor in the bundle.
  case unknownAuthor = 2
  /// The previous frame is neither held here nor in the bundle.
  case unattached = 3
  /// A limit is reached: logs, branches of a log, or quarantined frames.
  case overLimit = 4

  /// The name in JSON.
  public var name: String {
    switch self {
    case .forged: "forged"
    case .unknownAuthor: "unknownAuthor"
    case .unattached: "unattached"
    case .overLimit: "overLimit"
    }
  }

  /// Orders by number, so that lists are the same everywhere.
  public static func < (left: BundleRefusal, right: BundleRefusal) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// How a bundle ended. Numbers are on the control socket.
public enum BundleEnd: UInt8, Codable, Sendable {
  /// With its end mark: all of it was read.
  case whole = 1
  /// Without an end mark: the file was truncated, or is still being written.
  case cutShort = 2
  /// Damaged, so that the next piece cannot be located.
  case damaged = 3
}

/// A piece of a bundle that is being written.
public struct BundlePiece: Codable, Hashable, Sendable {
  /// The next bytes of the file.
  @ByteString public var bytes: [UInt8]
  /// The cursor with which to request the next piece; empty after the last.
  @ByteString public var next: [UInt8]
  /// Frames in all pieces so far.
  public var frames: Int
  /// Records in all pieces so far.
  public var records: Int

  /// Creates a piece from a node's response.
  public init(bytes: [UInt8], next: [UInt8], frames: Int, records: Int) {
    self.bytes = bytes
    self.next = next
    self.frames = frames
    self.records = records
  }
}

/// The result of merging one piece of a bundle.
public struct BundleProgress: Codable, Hashable, Sendable {
  /// How many of the given bytes are processed.
  public var consumed: Int
  /// The cursor to pass with the following bytes.
  @ByteString public var next: [UInt8]
  /// The counts of this piece only.
  public var tally: BundleTally
  /// How the bundle ended; nil while more follows.
  public var end: BundleEnd?

  /// Creates a result from a node's response.
  public init(consumed: Int, next: [UInt8], tally: BundleTally, end: BundleEnd?) {
    self.consumed = consumed
    self.next = next
    self.tally = tally
    self.end = end
  }
}
