internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The sections of a bundle, in order. Numbers are between a node and its command line.
enum BundleStage: UInt8, Comparable, Sendable {
  case chains = 1
  case control = 2
  case urgent = 3
  case state = 4
  case history = 5
  case records = 6
  case keys = 7
  case quarantine = 8
  case photos = 9
  case end = 10

  init(_ lane: Lane) {
    switch lane {
    case .control: self = .control
    case .urgent: self = .urgent
    case .state: self = .state
    case .history: self = .history
    }
  }

  /// The next section.
  var next: BundleStage { BundleStage(rawValue: rawValue + 1) ?? .end }

  static func < (left: BundleStage, right: BundleStage) -> Bool { left.rawValue < right.rawValue }
}

/// A log, or a strand of one, that the bundle contains, up to the last frame that counts.
struct BundlePart: Sendable {
  var place: BundlePosition
  var from: UInt64
  var through: UInt64

  /// Returns where a strand starts in a bundle. Its first frames may be proved only together with
  /// earlier ones, back to where every node keeps a signature.
  static func start(of log: LogSummary) -> UInt64 {
    guard log.first > 0 else { return 0 }
    return (log.first - 1) / Limits.signatureInterval * Limits.signatureInterval + 1
  }
}

/// The position of a log in a bundle.
struct BundlePosition: Hashable, Comparable, Sendable {
  var stage: BundleStage
  /// The number of certificates between its author and the root: a device follows its issuer.
  var rank: UInt8 = 0
  /// The first sequence: a strand follows its parent.
  var first: UInt64 = 0
  /// In the records section, the last topic.
  var log = LogID(raw: .zero)

  static func < (left: BundlePosition, right: BundlePosition) -> Bool {
    (left.stage, left.rank, left.first, left.log)
      < (right.stage, right.rank, right.first, right.log)
  }
}

/// The contents of a bundle at the time that one piece is made.
struct BundleContents {
  private let parts: [BundlePart]
  /// By topic; nil until the first is requested.
  private var records: [LatestRecord]?
  /// Thumbnails, then originals; nil until the first is requested.
  private var blobs: [StoredBlob]?

  init(_ parts: [BundlePart]) { self.parts = parts.sorted { $0.place < $1.place } }

  /// Returns the part to continue in the current section; nil at the section's end.
  func part(at cursor: BundleCursor) -> BundlePart? {
    var low = parts.firstPlace { $0.place >= cursor.place }
    if low < parts.count, parts[low].place == cursor.place, cursor.next > parts[low].through {
      low += 1
    }
    guard low < parts.count, parts[low].place.stage == cursor.stage else { return nil }
    return parts[low]
  }

  /// Returns the next stored unit of a blob in the section of photos, and moves on to it.
  ///
  /// - Parameter read: reads all listed blobs.
  mutating func unit(
    at cursor: inout BundleCursor, read: () throws(StoreError) -> [StoredBlob]
  ) throws(StoreError) -> (blob: StoredBlob, number: Int)? {
    if blobs == nil {
      blobs = try read().filter { !$0.units.isEmpty }.sorted { Self.place($0) < Self.place($1) }
    }
    let all = blobs ?? []
    for blob in all[all.firstPlace(where: { Self.place($0) >= cursor.place })...] {
      let place = Self.place(blob)
      let first = cursor.place == place ? Int(cursor.next) : 0
      guard let number = (first..<max(first, blob.units.units)).first(where: blob.units.contains)
      else { continue }
      cursor.move(to: place, next: UInt64(number + 1))
      return (blob, number)
    }
    return nil
  }

  private static func place(_ blob: StoredBlob) -> BundlePosition {
    BundlePosition(
      stage: .photos, rank: blob.listing.kind.rawValue, first: UInt64(blob.number))
  }

  /// Returns the records of the next topics.
  ///
  /// - Parameter read: reads all records, by topic.
  mutating func records(
    at cursor: BundleCursor, limit: Int, read: () throws(StoreError) -> [LatestRecord]
  ) throws(StoreError) -> ArraySlice<LatestRecord> {
    if records == nil { records = try read() }
    let all = records ?? []
    guard cursor.next > 0 else { return all.prefix(limit) }
    return all[all.firstPlace { $0.topic.raw > cursor.place.log.raw }...].prefix(limit)
  }
}

/// The progress of a bundle: everything that a node needs to continue, so that it keeps no state
/// between two pieces.
struct BundleCursor: Sendable {
  let salt: Bytes16
  /// The number of the next piece.
  private(set) var number: UInt64 = 0
  private(set) var frames: UInt64 = 0
  private(set) var records: UInt64 = 0
  private(set) var place = BundlePosition(stage: .chains)
  /// The next sequence of the current log; in the records section, 1 after the first.
  private(set) var next: UInt64 = 0

  var stage: BundleStage { place.stage }

  init(salt: Bytes16) { self.salt = salt }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(salt)
    for count in [number, frames, records] { writer.append(count) }
    writer.append(place.stage.rawValue)
    writer.append(place.rank)
    writer.append(place.first)
    writer.append(place.log)
    writer.append(next)
    return writer.bytes
  }

  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do {
      salt = try reader.bytes16()
      number = try reader.integer(UInt64.self)
      frames = try reader.integer(UInt64.self)
      records = try reader.integer(UInt64.self)
      guard let stage = BundleStage(rawValue: try reader.integer(UInt8.self)) else { return nil }
      place = BundlePosition(
        stage: stage, rank: try reader.integer(UInt8.self),
        first: try reader.integer(UInt64.self), log: try reader.identifier(LogID.self))
      next = try reader.integer(UInt64.self)
      try reader.expectEnd()
    } catch {
      return nil
    }
    // More than any node holds, and far below overflow.
    let bound: UInt64 = 1 << 48
    guard number <= bound, frames <= bound, records <= bound, next <= bound else { return nil }
  }

  /// Continues after what was taken at a place.
  mutating func move(to place: BundlePosition, next: UInt64) {
    self.place = place
    self.next = next
  }

  mutating func begin(_ stage: BundleStage) { move(to: BundlePosition(stage: stage), next: 0) }

  /// Counts and numbers a contained item, which the end mark lists.
  mutating func count(_ carried: BundleItem) {
    number += 1
    switch carried {
    case .frames(let taken): frames += UInt64(taken.count)
    case .records(let taken): records += UInt64(taken.count)
    case .chain, .evidence, .keys, .unit, .end: break
    }
  }
}
