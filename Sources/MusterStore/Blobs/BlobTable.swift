internal import GRDB
internal import MusterCrypto
public import MusterModel

/// A listed blob, and which of its units are stored.
public struct StoredBlob: Hashable, Sendable {
  /// Increases in the order in which blobs were listed here.
  public let number: Int64
  /// What its lists have in common, as a thumbnail if any of them lists it as one.
  public let listing: BlobListing
  /// The units whose bytes are on disk.
  public let units: UnitSet
  /// When it was noticed that no photo references it; nil if one does, or that is not known.
  public let unreferencedSince: Timestamp?
  /// Whether its ciphertext was deleted here: it is not fetched again.
  public let isDeleted: Bool

  /// The address.
  public var id: BlobID { listing.id }
}

/// An entry of the list of a stored frame. Several frames may list one blob, and each list is kept
/// with its frame.
public struct ListedBlob: Hashable, Sendable {
  /// The blob, as this frame lists it.
  public let listing: BlobListing
  /// The log of the frame.
  public let log: LogID
  /// The log, or the strand of it that contains the frame, and the sequence.
  public let place: FramePosition
  /// The opening of the log.
  public let opening: Opening

  /// Creates an entry.
  public init(listing: BlobListing, log: LogID, place: FramePosition, opening: Opening) {
    self.listing = listing
    self.log = log
    self.place = place
    self.opening = opening
  }
}

/// One unit of a stored blob.
public struct StoredUnit: Hashable, Sendable {
  /// The blob.
  public let blob: BlobID
  /// The number of the unit in it.
  public let number: Int

  /// Names a unit.
  public init(blob: BlobID, number: Int) {
    self.blob = blob
    self.number = number
  }
}

/// The SQL of listed blobs.
enum BlobTable {
  private static let columns =
    """
    number, root, length, kind, units, unreferenced_ms, is_deleted
    """

  /// Adds a blob that a frame lists, unless another one does already.
  static func list(_ listing: BlobListing, in database: Database) throws {
    let units = UnitSet(units: listing.shape.units)
    try database.run(
      """
      INSERT INTO blobs(id, root, length, kind, units, is_deleted) VALUES (?, ?, ?, ?, ?, 0)
      ON CONFLICT(id) DO UPDATE SET kind = min(kind, excluded.kind)
      """,
      [
        listing.id.blob, listing.root.blob, listing.length.column, listing.kind.rawValue.column,
        units.bytes.blob,
      ])
  }

  static func blob(_ id: BlobID, in database: Database) throws -> StoredBlob? {
    try database.first(
      "SELECT \(columns) FROM blobs WHERE id = ?", [id.blob], of: "blobs", read)
  }

  static func blobs(_ database: Database) throws -> [StoredBlob] {
    try database.all("SELECT \(columns) FROM blobs ORDER BY number", of: "blobs", read)
  }

  private static let page = 512

  /// Returns the next listed blobs.
  static func blobs(after number: Int64, in database: Database) throws -> [StoredBlob] {
    try database.all(
      "SELECT \(columns) FROM blobs WHERE number > ? ORDER BY number LIMIT \(page)",
      [number.column], of: "blobs", read)
  }

  /// Returns the lists of the next stored frames, and the place of the last of these; nil if there
  /// is none.
  static func lists(
    after place: Int64, in database: Database
  ) throws -> (lists: [ListedBlob], last: Int64?) {
    let frames = try database.all(
      """
      SELECT place, blobs FROM frames WHERE blobs IS NOT NULL AND place > ?
      ORDER BY place LIMIT \(page)
      """, [place.column], of: "frames"
    ) { (place: try $0.integer(Int64.self), list: try $0.blobList()) }
    var logs: [Int64: HeldLog] = [:]
    var lists: [ListedBlob] = []
    for (place, list) in frames {
      let ref = place >> 32
      guard let log = try logs[ref] ?? FrameTable.log(ref: ref, in: database) else { continue }
      logs[ref] = log
      let frame = FramePosition(log: log.head.log, sequence: UInt64(place & 0xFFFF_FFFF))
      lists += list.map {
        ListedBlob(
          listing: $0, log: log.base?.log ?? log.head.log, place: frame, opening: log.opening)
      }
    }
    return (lists, frames.last?.place)
  }

  /// Sets or clears the bits of units. A blob that is not listed is left out.
  static func set(
    _ units: [Int], of id: BlobID, to isStored: Bool, in database: Database
  ) throws {
    guard let blob = try blob(id, in: database) else { return }
    var set = blob.units
    #if Canary
      if Canary.forgetUnits.isPlanted, isStored { set = UnitSet(units: set.units) }
      if Canary.claimWholePhoto.isPlanted, isStored { set = .all(set.units) }
    #endif
    for unit in units {
      if isStored { set.insert(unit) } else { set.remove(unit) }
    }
    try write(set, of: id, in: database)
  }

  static func write(_ set: UnitSet, of id: BlobID, in database: Database) throws {
    try database.run(
      "UPDATE blobs SET units = ?, is_deleted = 0 WHERE id = ?", [set.bytes.blob, id.blob])
  }

  static func setUnreferenced(
    _ id: BlobID, since moment: Timestamp?, in database: Database
  ) throws {
    try database.run(
      "UPDATE blobs SET unreferenced_ms = ? WHERE id = ?",
      [moment.column { $0.column }, id.blob])
  }

  /// Notes that no unit is stored, and none is to be fetched.
  static func clear(_ id: BlobID, in database: Database) throws {
    guard let blob = try blob(id, in: database) else { return }
    try database.run(
      "UPDATE blobs SET units = ?, is_deleted = 1 WHERE id = ?",
      [UnitSet(units: blob.units.units).bytes.blob, id.blob])
  }

  private static func read(_ columns: inout ColumnReader) throws -> StoredBlob {
    let number: Int64 = try columns.integer()
    let (root, length): (Bytes32, UInt32) = (try columns.bytes32(), try columns.integer())
    let kind: BlobKind = try columns.code()
    guard let listing = BlobListing(root: root, length: length, kind: kind) else {
      throw columns.damage
    }
    guard let units = UnitSet(bytes: try columns.bytes(), units: listing.shape.units) else {
      throw columns.damage
    }
    let since = try columns.optionalInteger(Int64.self).map(Timestamp.init(milliseconds:))
    return StoredBlob(
      number: number, listing: listing, units: units, unreferencedSince: since,
      isDeleted: try columns.integer(Int.self) != 0)
  }
}

extension Migrations {
  static let photos = """
    -- The list of the blobs that the frame adds, as hashed; NULL for a frame without one.
    ALTER TABLE frames ADD COLUMN blobs BLOB;
    ALTER TABLE set_aside ADD COLUMN blobs BLOB;
    CREATE INDEX frames_with_blobs ON frames(place) WHERE blobs IS NOT NULL;

    -- The blobs that stored frames list. Their ciphertext is in files outside the database. A bit
    -- of `units` is set after the bytes of that unit were synced.
    CREATE TABLE blobs(
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE CHECK(length(id) = 16),
      root BLOB NOT NULL CHECK(length(root) = 32),
      length INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      -- The frame that listed it first here.
      log BLOB NOT NULL CHECK(length(log) = 16),
      sequence INTEGER NOT NULL,
      certificate BLOB NOT NULL CHECK(length(certificate) = 32),
      lane INTEGER NOT NULL,
      units BLOB NOT NULL,
      -- By this machine's wall clock: when no photo was found to reference it any more.
      unreferenced_ms INTEGER,
      is_deleted INTEGER NOT NULL
    ) STRICT;
    """

  /// The frames have every list of a blob: none of them is its own.
  static let listsOfBlobs = """
    ALTER TABLE blobs DROP COLUMN log;
    ALTER TABLE blobs DROP COLUMN sequence;
    ALTER TABLE blobs DROP COLUMN certificate;
    ALTER TABLE blobs DROP COLUMN lane;
    """

  static let blobLists = """
    -- The receipt of a command device reads all lists of a log, and no frames.
    DROP INDEX frames_with_blobs;
    CREATE INDEX frames_with_blobs ON frames(place, blobs) WHERE blobs IS NOT NULL;
    """
}
