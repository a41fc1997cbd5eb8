internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What a bundle holds one after the other. Numbers are between a node and its command line.
enum BundleStage: UInt8, Comparable, Sendable {
  case chains = 1
  case control = 2
  case urgent = 3
  case state = 4
  case history = 5
  case records = 6
  case keys = 7
  case quarantine = 8
  case end = 9

  init(_ lane: Lane) {
    switch lane {
    case .control: self = .control
    case .urgent: self = .urgent
    case .state: self = .state
    case .history: self = .history
    }
  }

  /// The one after it.
  var next: BundleStage { BundleStage(rawValue: rawValue + 1) ?? .end }

  static func < (left: BundleStage, right: BundleStage) -> Bool { left.rawValue < right.rawValue }
}

/// A log, or a strand of one, that goes along, or the part of it that counts.
struct BundlePart: Sendable {
  var place: BundlePlace
  var from: UInt64
  var through: UInt64

  /// A strand's first frames may be proved only together with those before, back to where everybody
  /// keeps a signature.
  static func start(of log: LogSummary) -> UInt64 {
    guard log.first > 0 else { return 0 }
    return (log.first - 1) / Limits.signatureInterval * Limits.signatureInterval + 1
  }
}

/// Where a log stands in a bundle.
struct BundlePlace: Hashable, Comparable, Sendable {
  var stage: BundleStage
  /// Certificates between its author and the root: whoever was admitted comes after who admitted.
  var rank: UInt8 = 0
  /// A strand comes after what it goes on from.
  var first: UInt64 = 0
  /// Among records, the last topic.
  var log = LogID(raw: .zero)

  static func < (left: BundlePlace, right: BundlePlace) -> Bool {
    (left.stage, left.rank, left.first, left.log)
      < (right.stage, right.rank, right.first, right.log)
  }
}

/// What goes along, as it stands while a piece of a bundle is made.
struct BundleStock {
  private let parts: [BundlePart]
  /// Nil until the first is asked for.
  private var records: [LatestRecord]?

  init(_ parts: [BundlePart]) { self.parts = parts.sorted { $0.place < $1.place } }

  /// The part to go on with in the stage at hand; nil where that is done.
  func part(at cursor: BundleCursor) -> BundlePart? {
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].place < cursor.place { low = middle + 1 } else { high = middle }
    }
    if low < parts.count, parts[low].place == cursor.place, cursor.next > parts[low].through {
      low += 1
    }
    guard low < parts.count, parts[low].place.stage == cursor.stage else { return nil }
    return parts[low]
  }

  /// Those of the next topics.
  mutating func records(
    at cursor: BundleCursor, limit: Int, in store: Store
  ) throws(StoreError) -> ArraySlice<LatestRecord> {
    if records == nil { records = try store.records().sorted { $0.topic < $1.topic } }
    let all = records ?? []
    guard cursor.next > 0 else { return all.prefix(limit) }
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].topic.raw <= cursor.place.log.raw { low = middle + 1 } else { high = middle }
    }
    return all[low...].prefix(limit)
  }
}

/// How far the making of a bundle has come: all that a node needs in order to go on, so that it
/// keeps nothing of it between two pieces.
struct BundleCursor: Sendable {
  let salt: Bytes16
  /// Of the next piece of the file.
  private(set) var number: UInt64 = 0
  private(set) var frames: UInt64 = 0
  private(set) var records: UInt64 = 0
  private(set) var place = BundlePlace(stage: .chains)
  /// Of the log at hand; among records, 1 behind the first.
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
      place = BundlePlace(
        stage: stage, rank: try reader.integer(UInt8.self),
        first: try reader.integer(UInt64.self), log: try reader.identifier(LogID.self))
      next = try reader.integer(UInt64.self)
      try reader.expectEnd()
    } catch {
      return nil
    }
    // Far more than any node holds, and far from where numbers end.
    let bound: UInt64 = 1 << 48
    guard number <= bound, frames <= bound, records <= bound, next <= bound else { return nil }
  }

  /// Goes on behind what was taken at a place.
  mutating func move(to place: BundlePlace, next: UInt64) {
    self.place = place
    self.next = next
  }

  mutating func begin(_ stage: BundleStage) { move(to: BundlePlace(stage: stage), next: 0) }

  /// What goes along has a number, and is told of in the end.
  mutating func count(_ carried: Carried) {
    number += 1
    switch carried {
    case .frames(let taken): frames += UInt64(taken.count)
    case .records(let taken): records += UInt64(taken.count)
    case .chain, .keys, .end: break
    }
  }
}
