internal import GRDB
internal import MusterModel

/// The SQL of stamps and arrivals.
enum AgeTable {
  static func keep(_ changes: AgeChanges, in database: Database) throws {
    if let boot = changes.boot {
      try database.run(
        "INSERT INTO boots(number, id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [boot.number.column, boot.id.blob])
      try database.run("DELETE FROM anchors")
    }
    for anchor in changes.anchors { try keep(anchor, in: database) }
    for place in changes.forgottenAnchors {
      try database.run("DELETE FROM anchors WHERE place = ?", [place.column])
    }
    for stamp in changes.stamps { try keep(stamp, in: database) }
    for frame in changes.frames { try keep(frame, in: database) }
  }

  static func newestBoot(_ database: Database) throws -> KnownBoot? {
    try database.first(
      "SELECT number, id FROM boots ORDER BY number DESC LIMIT 1", of: "boots"
    ) { KnownBoot(number: try $0.integer(), id: try $0.identifier()) }
  }

  // MARK: Anchors

  private static func keep(_ anchor: StoredAnchor, in database: Database) throws {
    try database.run(
      """
      INSERT INTO anchors(place, name, author, is_own, boot, milliseconds, echoes, arrived_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [anchor.place.column, anchor.id.blob, anchor.author.blob, anchor.isOwn.column]
        + anchor.stated.columns + [anchor.arrived.column])
  }

  /// In the order of arrival.
  static func anchors(_ database: Database) throws -> [StoredAnchor] {
    try database.all(
      """
      SELECT place, name, author, is_own, boot, milliseconds, echoes, arrived_ms FROM anchors
      ORDER BY place
      """, of: "anchors"
    ) { columns in
      let place = try columns.integer(Int64.self)
      let id: StampedRecordID = try columns.identifier()
      let author: DeviceID = try columns.identifier()
      let isOwn = try columns.integer(Int64.self) == 1
      guard let stated = try columns.recordStamp() else { throw columns.damage }
      return StoredAnchor(
        place: place, id: id, author: author, isOwn: isOwn, stated: stated,
        arrived: try columns.integer())
    }
  }

  static func anchorCount(_ database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM anchors", of: "anchors") { try $0.integer() } ?? 0
  }

  // MARK: Stamps

  private static func keep(_ stamp: StoredStamp, in database: Database) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO stamps(subject, source, author, name, boot, milliseconds, echoes,
        made_boot, earliest_ms, latest_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [stamp.subject.blob, stamp.source.rawValue.column, stamp.author.blob, stamp.id.blob]
        + (stamp.stated?.columns ?? [.null, .null, .null]) + stamp.made.columns)
  }

  /// By subject and source.
  static func stamps(_ database: Database) throws -> [StoredStamp] {
    try database.all(
      """
      SELECT subject, source, author, name, boot, milliseconds, echoes, made_boot, earliest_ms,
        latest_ms FROM stamps ORDER BY subject, source
      """, of: "stamps"
    ) { columns in
      StoredStamp(
        subject: try columns.identifier(), source: try columns.code(),
        author: try columns.identifier(), id: try columns.identifier(),
        stated: try columns.recordStamp(), made: try columns.arrivalSpan())
    }
  }

  // MARK: Frames

  private static func keep(_ frame: FrameArrival, in database: Database) throws {
    try database.run(
      """
      INSERT INTO frame_stamps(name, author, boot, milliseconds, made_boot, earliest_ms, latest_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        frame.name.blob, frame.author.blob, frame.stamp.column { $0.boot.blob },
        frame.stamp.column { $0.milliseconds.column },
      ] + frame.made.columns)
  }

  static func frame(_ name: Bytes16, in database: Database) throws -> FrameArrival? {
    try database.first(
      """
      SELECT author, boot, milliseconds, made_boot, earliest_ms, latest_ms FROM frame_stamps
      WHERE name = ?
      """, [name.blob], of: "frame_stamps"
    ) { columns in
      FrameArrival(
        name: name, author: try columns.identifier(), stamp: try columns.stamp(),
        made: try columns.arrivalSpan())
    }
  }
}

extension RecordStamp {
  fileprivate var columns: [ColumnValue] {
    [
      stamp.boot.blob, stamp.milliseconds.column,
      echoes.column { $0.flatMap(\.bytes).blob },
    ]
  }
}

extension ArrivalSpan {
  fileprivate var columns: [ColumnValue] {
    [boot.column, earliest.column { $0.column }, latest.column]
  }
}

extension ColumnReader {
  fileprivate mutating func stamp() throws -> Stamp? {
    let boot = try optionalBytes16()
    let milliseconds = try optionalInteger(Int64.self)
    guard let boot, let milliseconds else { return nil }
    guard let stamp = Stamp(boot: BootID(raw: boot), milliseconds: milliseconds) else {
      throw damage
    }
    return stamp
  }

  fileprivate mutating func recordStamp() throws -> RecordStamp? {
    let stamp = try stamp()
    let echoes = try optionalBytes()
    guard let stamp else { return nil }
    let names = try echoes.map { bytes in
      guard bytes.count % 16 == 0 else { throw damage }
      return stride(from: 0, to: bytes.count, by: 16).compactMap {
        StampedRecordID(bytes: bytes[$0..<$0 + 16])
      }
    }
    guard let stated = RecordStamp(stamp, echoes: names) else { throw damage }
    return stated
  }

  fileprivate mutating func arrivalSpan() throws -> ArrivalSpan {
    let boot = try integer(Int64.self)
    let earliest = try optionalInteger(Int64.self)
    let latest = try integer(Int64.self)
    guard earliest.map({ $0 <= latest }) ?? true else { throw damage }
    return ArrivalSpan(boot: boot, earliest: earliest, latest: latest)
  }
}
