internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The dates of the reports on held timers, and their stored form.
///
/// A date that was known once counts on: across changes of the evidence, and across a restart of
/// the machine as the age at the last save plus the wall-clock time since then, if that is
/// positive.
///
/// ```
///   "check-ins"    ─▶ boot, time, wall clock of the last save, and no dates
///   "check-ins/17" ─▶ boot, the dates of the reports whose names end in 17
/// ```
///
/// A date of a new report is saved at once, a closer one each minute, both with their shard alone.
/// The entry with the clocks is saved with them, and each minute.
///
/// Invariant: `unsaved` and `narrowed` name the shards that differ from the stored ones.
struct CheckInDates: Sendable {
  /// Earlier versions stored all dates under this key.
  static let key = "check-ins"
  /// The interval between two saves while timers run.
  static let savingMilliseconds: Int64 = 60_000
  private static let shardCount = 64

  /// What the clocks show at a save or at a start.
  struct Clocks: Sendable {
    let boot: BootID
    /// By the boot clock.
    let time: Int64
    let wall: Timestamp
  }

  private var shards = [[Dot: Span]](repeating: [:], count: shardCount)
  /// Shards with a date of a new report.
  private var unsaved: Set<Int> = []
  /// Shards with a date that is known more closely than stored, or is not needed any more.
  private var narrowed: Set<Int> = []
  private var savedAt: Int64 = .min
  /// Whether saved dates were read since the start.
  private(set) var isRestored = false

  subscript(dot: Dot) -> Span? { shards[Self.shard(of: dot)][dot] }

  private static func shard(of dot: Dot) -> Int { Int(dot.frame.low % UInt64(shardCount)) }
  private static func key(of shard: Int) -> String { "\(key)/\(shard)" }

  /// Returns the date by earlier knowledge and by what the evidence shows now. What contradicts the
  /// earlier knowledge may only make the alarm earlier.
  func date(of dot: Dot, _ now: Span) -> Span {
    guard let known = self[dot] else { return now }
    return known.intersection(now)
      ?? Span(earliest: min(known.earliest, now.earliest), latest: min(known.latest, now.latest))
  }

  /// Takes what the evidence shows now, and returns the date.
  mutating func take(_ now: Span, of dot: Dot) -> Span {
    let (shard, known, date) = (Self.shard(of: dot), self[dot], date(of: dot, now))
    guard date != known else { return date }
    shards[shard][dot] = date
    if known == nil { unsaved.insert(shard) } else { narrowed.insert(shard) }
    return date
  }

  /// Removes the date of a report that counts no more.
  mutating func remove(_ dot: Dot) {
    let shard = Self.shard(of: dot)
    if shards[shard].removeValue(forKey: dot) != nil { narrowed.insert(shard) }
  }

  /// Removes all other dates.
  mutating func keep(only dots: Set<Dot>) {
    for shard in shards.indices {
      for dot in shards[shard].keys where !dots.contains(dot) { remove(dot) }
    }
  }

  // MARK: Stored form

  /// Returns the local values to be saved now; empty if none.
  mutating func takeUnsaved(at now: Clocks) -> [String: [UInt8]] {
    guard isRestored else { return [:] }
    let isDue =
      now.time - Self.savingMilliseconds >= savedAt && shards.contains { !$0.isEmpty }
    guard isDue || !unsaved.isEmpty else { return [:] }
    let changed = isDue ? unsaved.union(narrowed) : unsaved
    var values = [Self.key: Self.encoded(now)]
    for shard in changed {
      var writer = ByteWriter()
      writer.append(now.boot.raw)
      writer.append(UInt32(shards[shard].count))
      for (dot, date) in shards[shard].sorted(by: { $0.key < $1.key }) {
        writer.append(dot)
        writer.append(date.latest)
      }
      values[Self.key(of: shard)] = writer.bytes
    }
    unsaved = []
    narrowed.subtract(changed)
    savedAt = now.time
    return values
  }

  private static func encoded(_ clocks: Clocks) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(clocks.boot.raw)
    writer.append(clocks.time)
    writer.append(clocks.wall.milliseconds)
    writer.append(UInt32(0))
    return writer.bytes
  }

  /// Restores saved dates, once. Unreadable data was written by another version, and is ignored.
  mutating func restore(
    at now: Clocks, read: (String) throws(StoreError) -> [UInt8]?
  ) throws(StoreError) {
    guard !isRestored else { return }
    #if Canary
      if Canary.forgetCheckInDates.isPlanted { return isRestored = true }
    #endif
    if let bytes = try read(Self.key) {
      var stored: [[UInt8]] = []
      for shard in 0..<Self.shardCount {
        if let bytes = try read(Self.key(of: shard)) { stored.append(bytes) }
      }
      do throws(DecodingFault) {
        try decode(bytes, stored, at: now)
      } catch {
        shards = [[Dot: Span]](repeating: [:], count: Self.shardCount)
      }
    }
    isRestored = true
  }

  private mutating func decode(
    _ bytes: [UInt8], _ stored: [[UInt8]], at now: Clocks
  ) throws(DecodingFault) {
    var reader = ByteReader(bytes)
    let boot = try reader.bytes16()
    let savedAt = try reader.integer(Int64.self)
    let savedWall = Timestamp(milliseconds: try reader.integer(Int64.self))
    let off = max(0, now.wall.milliseconds(since: savedWall))
    // The time that passed since the save: 0 by the same clock.
    let isSameBoot = boot == now.boot.raw
    let shift = isSameBoot ? 0 : now.time - savedAt - off
    try decodeDates(&reader, shift)
    let isWhole = !shards.contains { !$0.isEmpty }
    for bytes in stored {
      var reader = ByteReader(bytes)
      // A shard of an earlier boot was not written with the entry of the clocks.
      guard try reader.bytes16() == boot else { continue }
      try decodeDates(&reader, shift)
    }
    // By the new boot's clock, all of them are stored again; so are those of an earlier version.
    if !isSameBoot || !isWhole { unsaved = Set(0..<Self.shardCount) }
  }

  private mutating func decodeDates(
    _ reader: inout ByteReader, _ shift: Int64
  ) throws(DecodingFault) {
    for _ in 0..<(try reader.count(ofAtLeast: 26)) {
      let dot = try reader.dot()
      let latest = try reader.integer(Int64.self)
      shards[Self.shard(of: dot)][dot] = .notAfter(max(Span.longAgo, latest.clampedSum(shift)))
    }
  }
}

extension Int64 {
  fileprivate func clampedSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
