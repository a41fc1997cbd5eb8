internal import GRDB
internal import MusterModel

/// A log as the store refers to it.
struct HeldLog {
  let ref: Int64
  let opening: Opening
  var head: Head
  var base: StrandBase?
  var isParted = false

  var first: UInt64 { base?.first ?? 0 }
  var summary: LogSummary {
    LogSummary(opening: opening, head: head, base: base, isParted: isParted)
  }

  /// Returns the row id of one of its frames. The sequence MUST be at most `Limits.lastSequence`.
  func place(_ sequence: UInt64) -> Int64 { ref << 32 | Int64(sequence) }
}

/// The SQL of the log: logs, frames, and the frames that wait.
enum FrameTable {
  // MARK: Logs

  private static let logColumns = """
    ref, log, certificate, incarnation, generation, lane,
    head_sequence, head_hash,
    origin, parent, base_hash, first_sequence, is_parted
    """

  static func log(_ id: LogID, in database: Database) throws -> HeldLog? {
    try database.first(
      "SELECT \(logColumns) FROM logs WHERE log = ?", [id.blob], of: "logs", readLog)
  }

  static func log(ref: Int64, in database: Database) throws -> HeldLog? {
    try database.first(
      "SELECT \(logColumns) FROM logs WHERE ref = ?", [ref.column], of: "logs", readLog)
  }

  static func logs(_ database: Database) throws -> [HeldLog] {
    try database.all("SELECT \(logColumns) FROM logs ORDER BY log", of: "logs", readLog)
  }

  /// Returns the strands of a forked log, including its own.
  static func strands(of log: LogID, in database: Database) throws -> [HeldLog] {
    try database.all(
      "SELECT \(logColumns) FROM logs WHERE log = ?1 OR origin = ?1 ORDER BY ref", [log.blob],
      of: "logs", readLog)
  }

  /// Returns the strands from the one that contains a sequence up to this one, oldest first.
  static func path(
    to strand: HeldLog, from first: UInt64, in database: Database
  ) throws -> [HeldLog] {
    var path = [strand]
    while first < path[0].first, let base = path[0].base {
      guard let parent = try log(base.parent, in: database), parent.first < path[0].first else {
        throw missing(base.first - 1, of: path[0])
      }
      path.insert(parent, at: 0)
    }
    return path
  }

  /// Inserts a log or a strand with the next ref. Its head is its first frame.
  static func insertLog(
    _ frame: Frame, opening: Opening, base: StrandBase?, in database: Database
  ) throws -> HeldLog {
    let head = Head(log: frame.strand, sequence: frame.sequence, hash: frame.hash)
    return try insertLog(opening: opening, head: head, base: base, isParted: false, in: database)
  }

  static func insertLog(
    opening: Opening, head: Head, base: StrandBase?, isParted: Bool, in database: Database
  ) throws -> HeldLog {
    try database.run(
      """
      INSERT INTO logs(log, certificate, incarnation, generation, lane,
        head_sequence, head_hash,
        origin, parent, base_hash, first_sequence, is_parted)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        head.log.blob, opening.certificate.blob, opening.incarnation.blob,
        opening.generation.column, opening.lane.rawValue.column,
        head.sequence.column, head.hash.blob,
        base.column { $0.log.blob }, base.column { $0.parent.blob },
        base.column { $0.previous.blob }, (base?.first ?? 0).column, isParted.column,
      ])
    return HeldLog(
      ref: database.lastInsertedRowID, opening: opening, head: head, base: base,
      isParted: isParted)
  }

  /// Ends a strand after one of its frames. The later ones become a strand of their own.
  static func part(
    _ strand: HeldLog, after sequence: UInt64, as tail: LogID, in database: Database
  ) throws {
    guard let cut = try hash(at: strand.place(sequence), in: database) else {
      throw missing(sequence, of: strand)
    }
    let log = strand.base?.log ?? strand.head.log
    try database.run(
      "UPDATE logs SET parent = ? WHERE parent = ?", [tail.blob, strand.head.log.blob])
    let behind = try insertLog(
      opening: strand.opening,
      head: Head(log: tail, sequence: strand.head.sequence, hash: strand.head.hash),
      base: StrandBase(log: log, parent: strand.head.log, first: sequence + 1, previous: cut),
      isParted: strand.isParted, in: database)
    let moved = [
      (behind.place(0) - strand.place(0)).column, strand.place(sequence + 1).column,
      strand.place(strand.head.sequence).column,
    ]
    try database.run("PRAGMA defer_foreign_keys = ON")
    for table in ["waiting", "frames", "row_frames"] {
      try database.run(
        "UPDATE \(table) SET place = place + ?1 WHERE place BETWEEN ?2 AND ?3", moved)
    }
    try database.run(
      "UPDATE logs SET head_sequence = ?, head_hash = ?, is_parted = 1 WHERE ref = ?",
      [sequence.column, cut.blob, strand.ref.column])
  }

  static func setHead(_ log: HeldLog, in database: Database) throws {
    try database.run(
      "UPDATE logs SET head_sequence = ?, head_hash = ? WHERE ref = ?",
      [log.head.sequence.column, log.head.hash.blob, log.ref.column])
  }

  /// Returns the logs whose frames are not exactly those from 0 to their head.
  static func brokenLogs(_ database: Database) throws -> [LogID] {
    try database.all(
      """
      SELECT log FROM logs WHERE head_sequence + 1 - first_sequence <> (
        SELECT count(*) FROM frames
        WHERE place BETWEEN ref << 32 | first_sequence AND ref << 32 | head_sequence
      ) OR head_hash IS NOT (
        SELECT CAST(name || rest AS BLOB) FROM frames WHERE place = ref << 32 | head_sequence
      ) OR EXISTS (
        SELECT 1 FROM frames
        WHERE place > ref << 32 | head_sequence AND place < (ref + 1) << 32
      ) ORDER BY log
      """, of: "logs"
    ) { try $0.identifier() }
  }

  /// Returns the numbers of logs, frames and waiting frames. Logs have no gaps, so their heads
  /// suffice.
  static func counts(_ database: Database) throws -> StoreCounts {
    try database.first(
      """
      SELECT (SELECT count(*) FROM logs),
        (SELECT coalesce(sum(head_sequence + 1 - first_sequence), 0) FROM logs),
        (SELECT count(*) FROM waiting), (SELECT count(*) FROM waiting_writes)
      """, of: "logs"
    ) {
      StoreCounts(
        logs: try $0.integer(), frames: try $0.integer(), waiting: try $0.integer(),
        waitingWrites: try $0.integer())
    } ?? StoreCounts(logs: 0, frames: 0, waiting: 0, waitingWrites: 0)
  }

  private static func readLog(_ columns: inout ColumnReader) throws -> HeldLog {
    let ref: Int64 = try columns.integer()
    let log: LogID = try columns.identifier()
    let certificate: CertificateHash = try columns.digest()
    let incarnation: Incarnation = try columns.identifier()
    let generation: UInt32 = try columns.integer()
    let lane: Lane = try columns.code()
    let sequence: UInt64 = try columns.integer()
    guard sequence <= Limits.lastSequence else { throw columns.damage }
    let head = Head(log: log, sequence: sequence, hash: try columns.digest())
    let origin = try columns.optionalBytes16()
    let parent = try columns.optionalBytes16()
    let before = try columns.optionalBytes32()
    let first: UInt64 = try columns.integer()
    guard first <= sequence else { throw columns.damage }
    var base: StrandBase?
    if let origin, let parent, let before {
      base = StrandBase(
        log: LogID(raw: origin), parent: LogID(raw: parent), first: first,
        previous: FrameHash(raw: before))
    }
    return HeldLog(
      ref: ref,
      opening: Opening(
        certificate: certificate, incarnation: incarnation, generation: generation, lane: lane),
      head: head, base: base, isParted: try columns.integer(Int.self) != 0)
  }

  // MARK: Frames

  /// - Parameter moment: the number of its moment of arrival (`JournalTable`).
  static func insert(
    _ frame: Frame, at place: Int64, moment: Int64?, in database: Database
  ) throws {
    try database.run(
      """
      INSERT INTO frames(place, name, rest, epoch, body, signature, moment, blobs)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        place.column, frame.hash.raw.prefix.blob, frame.hash.raw.suffix.blob,
        frame.epoch.column { $0.blob }, frame.body.blob, frame.signature.column { $0.blob },
        moment.column { $0.column },
        frame.blobs.isEmpty ? .null : BlobListing.encoded(frame.blobs).blob,
      ])
  }

  static func hash(at place: Int64, in database: Database) throws -> FrameHash? {
    try database.first(
      "SELECT name, rest FROM frames WHERE place = ?", [place.column], of: "frames"
    ) { FrameHash(raw: Bytes32(prefix: try $0.bytes16(), suffix: try $0.bytes16())) }
  }

  static func places(of name: Bytes16, in database: Database) throws -> [Int64] {
    try database.all("SELECT place FROM frames WHERE name = ?", [name.blob], of: "frames") {
      try $0.integer()
    }
  }

  /// Returns whether a log contains the frame with this name, as used by dots.
  static func has(_ name: Bytes16, in log: HeldLog, _ database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM frames WHERE name = ? AND place BETWEEN ? AND ? LIMIT 1",
      [
        name.blob, log.place(0).column, log.place(log.head.sequence).column,
      ], of: "frames"
    ) { _ in true } ?? false
  }

  /// Returns whether the frame with this name is stored at a position that counts, and does not
  /// wait.
  static func isApplied(
    _ name: Bytes16, where counts: (Int64) -> Bool, in database: Database
  ) throws -> Bool {
    var isFound = false
    try database.eachWhile(
      """
      SELECT place FROM frames WHERE name = ? AND place NOT IN (SELECT place FROM waiting)
      """, [name.blob], of: "frames"
    ) { columns in
      isFound = counts(try columns.integer())
      return !isFound
    }
    return isFound
  }

  /// Calls `body` with the frames of a log from one sequence through another, until it returns
  /// false. A missing frame is reported as damage.
  static func eachFrame(
    of log: HeldLog, from first: UInt64, through last: UInt64, in database: Database,
    while body: (Frame) throws -> Bool
  ) throws {
    precondition(
      log.first <= first && first <= last && last <= log.head.sequence,
      "\(first) to \(last) of \(log)")
    var previous = log.base?.previous ?? .none
    if first > log.first {
      guard let before = try hash(at: log.place(first - 1), in: database) else {
        throw missing(first - 1, of: log)
      }
      previous = before
    }
    var expected = first
    var isStopped = false
    try database.eachWhile(
      """
      SELECT place, name, rest, epoch, body, signature, blobs FROM frames
      WHERE place BETWEEN ? AND ? ORDER BY place
      """, [log.place(first).column, log.place(last).column], of: "frames"
    ) { columns in
      guard try columns.integer() == log.place(expected) else { throw missing(expected, of: log) }
      let frame = try readFrame(&columns, log, expected, previous)
      previous = frame.hash
      expected += 1
      isStopped = !(try body(frame))
      return !isStopped
    }
    guard isStopped || expected == last + 1 else { throw missing(expected, of: log) }
  }

  static func frame(_ sequence: UInt64, of log: HeldLog, in database: Database) throws -> Frame {
    var found: Frame?
    try eachFrame(of: log, from: sequence, through: sequence, in: database) {
      found = $0
      return true
    }
    guard let found else { throw missing(sequence, of: log) }
    return found
  }

  /// Reads a single frame while others of its log are being read; nil if it is not stored.
  static func frameAlone(_ place: FramePosition, in database: Database) throws -> Frame? {
    guard let log = try log(place.log, in: database), place.sequence <= log.head.sequence,
      let strand = try path(to: log, from: place.sequence, in: database).first
    else { return nil }
    var previous = strand.base?.previous ?? .none
    if place.sequence > strand.first {
      guard let before = try hash(at: strand.place(place.sequence - 1), in: database) else {
        throw missing(place.sequence - 1, of: strand)
      }
      previous = before
    }
    return try database.first(
      "SELECT name, rest, epoch, body, signature, blobs FROM frames WHERE place = ?",
      [strand.place(place.sequence).column], of: "frames"
    ) { try readFrame(&$0, strand, place.sequence, previous) }
  }

  private static func missing(_ sequence: UInt64, of log: HeldLog) -> StoreError {
    .corrupt("frame \(FramePosition(log: log.head.log, sequence: sequence)) is missing")
  }

  private static func readFrame(
    _ columns: inout ColumnReader, _ log: HeldLog, _ sequence: UInt64, _ previous: FrameHash
  ) throws -> Frame {
    let hash = FrameHash(raw: Bytes32(prefix: try columns.bytes16(), suffix: try columns.bytes16()))
    let epoch = try columns.optionalBytes16().map(EpochID.init(raw:))
    var frame = Frame(
      log: log.base?.log ?? log.head.log, sequence: sequence, previous: previous, epoch: epoch,
      body: try columns.bytes(), hash: hash, signature: try columns.optionalBytes())
    frame.blobs = try columns.blobList()
    if log.base != nil { frame.branch = log.head.log }
    return frame
  }

  // MARK: Waiting

  static func setWaiting(_ reason: WaitReason, at place: Int64, in database: Database) throws {
    try database.run(
      """
      INSERT INTO waiting(place, reason, epoch) VALUES (?, ?, ?)
      ON CONFLICT(place) DO UPDATE SET reason = excluded.reason, epoch = excluded.epoch
      """, [place.column, reason.code.column, reason.epoch.column { $0.blob }])
  }

  static func isWaiting(_ place: Int64, in database: Database) throws -> Bool {
    try database.first(
      "SELECT 1 FROM waiting WHERE place = ?", [place.column], of: "waiting"
    ) { _ in true } ?? false
  }

  static func deleteWaiting(at place: Int64, in database: Database) throws {
    try database.run("DELETE FROM waiting WHERE place = ?", [place.column])
  }

  static func deleteAllWaiting(_ database: Database) throws {
    try database.run("DELETE FROM waiting")
  }

  /// Places after one, in order, of the frames that wait for this key, or for anything.
  /// Epochs whose keys frames of an author wait for.
  static func epochsWaitedFor(
    by author: CertificateHash, limit: Int, in database: Database
  ) throws -> [EpochID] {
    try database.all(
      """
      SELECT DISTINCT waiting.epoch FROM logs JOIN waiting
        ON waiting.place BETWEEN logs.ref << 32 AND logs.ref << 32 | 0xFFFFFFFF
      WHERE logs.certificate = ? AND waiting.epoch IS NOT NULL LIMIT ?
      """, [author.raw.bytes.blob, limit.column], of: "waiting"
    ) { try $0.identifier() }
  }

  static func waiting(
    for epoch: EpochID?, after place: Int64, limit: Int, in database: Database
  ) throws -> [(place: Int64, reason: WaitReason)] {
    let condition = epoch == nil ? "" : "epoch = ? AND "
    return try database.all(
      """
      SELECT place, reason, epoch FROM waiting WHERE \(condition)place > ? ORDER BY place LIMIT ?
      """, (epoch.map { [$0.blob] } ?? []) + [place.column, limit.column],
      of: "waiting"
    ) { columns in
      let place: Int64 = try columns.integer()
      let code: Int = try columns.integer()
      let epoch = try columns.optionalBytes16().map(EpochID.init(raw:))
      guard let reason = WaitReason(code: code, epoch: epoch) else { throw columns.damage }
      return (place, reason)
    }
  }
}

extension WaitReason {
  fileprivate var code: Int {
    switch self {
    case .key: 1
    case .unknownOperation: 2
    case .part: 3
    case .certificate: 4
    }
  }

  fileprivate var epoch: EpochID? {
    if case .key(let epoch) = self { epoch } else { nil }
  }

  fileprivate init?(code: Int, epoch: EpochID?) {
    switch (code, epoch) {
    case (1, let epoch?): self = .key(epoch)
    case (2, nil): self = .unknownOperation
    case (3, nil): self = .part
    case (4, nil): self = .certificate
    default: return nil
    }
  }
}
