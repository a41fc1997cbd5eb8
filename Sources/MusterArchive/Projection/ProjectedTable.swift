internal import Foundation
internal import MusterInterchange
internal import MusterModel

/// One table of a projection: how its rows follow from JSON records, and the records.
struct ProjectedTable {
  let name: String
  /// Its columns besides `operation`, each with its value from the record `r`.
  let columns: [(name: String, value: String)]
  let records: [JSON]

  /// How many records one statement carries.
  private static let most = 500

  /// Replaces the rows of an operation by the records: only rows that differ are written.
  func write(into database: DatabaseConnection, of operation: OperationID) throws {
    let id = SQLValue.bytes(operation.bytes)
    let names = columns.map(\.name)
    let others = names.filter { $0 != "id" }
    for start in stride(from: 0, to: records.count, by: Self.most) {
      let some = JSON.array(Array(records[start..<min(start + Self.most, records.count)]))
      try database.run(
        """
        INSERT INTO \(name) (operation, \(names.joined(separator: ", ")))
        SELECT $1::bytea, \(columns.map(\.value).joined(separator: ", "))
        FROM jsonb_array_elements($2::jsonb) AS r
        ON CONFLICT (operation, id) DO UPDATE
          SET \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
          WHERE \(name).document IS DISTINCT FROM excluded.document
            OR \(name).summary IS NULL
        """, [id, .text(some.text)])
    }
    let kept = records.compactMap { $0.members?["id"]?.word.flatMap { Hex.decode($0) } }
    try database.run(
      "DELETE FROM \(name) WHERE operation = $1 AND NOT id = ANY($2::bytea[])", [id, .list(kept)])
  }
}

extension ProjectedTable {
  static func users(_ users: [UserSummary]) throws -> ProjectedTable {
    try ProjectedTable(
      name: "users",
      columns: [
        id, text("callsign"), text("role"), text("team"), text("status"), point,
        time("fix_at"), document, summary,
      ],
      records: users.map { user in
        // Who reads the database need not be command: a call under duress stays hidden.
        let shown = user.withoutDuress
        return try record(
          of: shown, shown.json,
          adding: ["fix_at": shown.fix.map { moment($0.sampleTime) } ?? .null])
      })
  }

  static func reports(_ reports: [ReportSummary]) throws -> ProjectedTable {
    try ProjectedTable(
      name: "reports",
      columns: [
        id, text("title"), ("details", "r->'document'->>'description'"), text("category"),
        ("severity", "(r->'document'->>'severity')::smallint"), text("status"),
        ("callsign", "r->'document'->>'ownerCallsign'"), point, time("created_at"),
        time("updated_at"), document, summary,
      ],
      records: reports.map { report in
        // Delivery is what one node knows of others, and no part of the state.
        try record(
          of: report, report.json.adding(["delivery": .null]),
          adding: ["created_at": moment(report.createdAt), "updated_at": moment(report.updatedAt)])
      })
  }

  static func fences(_ fences: [FenceSummary]) throws -> ProjectedTable {
    try ProjectedTable(
      name: "fences",
      columns: [
        id, text("name"), text("kind"),
        ("is_active", "(r->'document'->>'active')::boolean"),
        (
          "area",
          """
          CASE WHEN r->>'radius' IS NULL THEN ST_GeomFromGeoJSON(r->'geometry')::geography
            ELSE ST_Buffer(ST_GeomFromGeoJSON(r->'geometry')::geography, (r->>'radius')::float8)
          END
          """
        ), document, summary,
      ],
      records: fences.map { fence in
        // Who is inside follows from positions, and no part of the state.
        try record(
          of: fence, fence.json.adding(["inside": .null]), adding: geometry(of: fence.geometry))
      })
  }

  static func events(_ events: [CrossingSummary]) throws -> ProjectedTable {
    try ProjectedTable(
      name: "events",
      columns: [
        id, text("type"), ("fence", "decode(r->'document'->>'fence', 'hex')"),
        ("fence_name", "r->'document'->>'fenceName'"), text("callsign"), time("at"), point,
        document, summary,
      ],
      records: events.map { event in
        // The arrival number is one node's.
        try record(
          of: event, event.json.adding(["arrival": .null]), adding: ["at": moment(event.sampleTime)]
        )
      })
  }

  static func directives(_ directives: [DirectiveSummary]) throws -> ProjectedTable {
    try ProjectedTable(
      name: "directives", columns: [id, document, summary],
      records: directives.map { try record(of: $0, $0.json(now: $0.createdAt), adding: [:]) })
  }

  /// Records of users. A node's own sync counts are no part of the state.
  static func records(_ records: [UserRecord], of users: [UserSummary]) throws -> ProjectedTable {
    let callsigns = Dictionary(users.map { ($0.id, $0.callsign) }) { first, _ in first }
    return try ProjectedTable(
      name: "records",
      columns: [
        id, ("person", "decode(r->'document'->>'user', 'hex')"), text("callsign"), text("dataset"),
        text("key"), text("value"), time("modified_at"), document, summary,
      ],
      records: records.map { item in
        let record = item.record
        let json = JSON.object([
          "id": .id(item.row), "user": .id(item.user),
          "callsign": .string(callsigns[item.user] ?? item.user.short),
          "dataset": .string(item.dataset), "key": .string(record.key),
          "value": .known(record.value, JSON.string), "modifiedAt": .time(record.modifiedAt),
          "otherValues": .array(record.otherValues.map { .known($0, JSON.string) }),
        ])
        return try Self.record(of: item, json, adding: ["modified_at": moment(record.modifiedAt)])
      })
  }

  /// Photos of reports, without their content, which `PhotoTable` adds.
  static func blobs(_ photos: [ReportedPhoto]) throws -> ProjectedTable {
    try ProjectedTable(
      name: "blobs",
      columns: [
        id, ("report", "decode(r->'document'->>'report', 'hex')"), text("callsign"),
        ("type", "r->>'type'"), point, time("taken_at"), document, summary,
      ],
      records: photos.map { item in
        let photo = item.photo
        let json = JSON.object([
          "id": .id(photo.id), "report": .id(item.report), "callsign": .string(photo.callsign),
          "addedAt": .time(photo.addedAt), "takenAt": .known(photo.takenAt, JSON.time),
          "width": .count(Int(photo.original.width)), "height": .count(Int(photo.original.height)),
          "bytes": .count(Int(photo.original.bytes)),
        ]).adding(JSON.place(photo.position))
        return try record(
          of: photo, json,
          adding: [
            "type": .string(photo.original.type.mediaType),
            "taken_at": photo.takenAt.map(moment) ?? .null,
          ])
      })
  }

  // MARK: Columns

  private static let id = ("id", "decode(r->>'id', 'hex')")
  private static let document = ("document", "r->'document'")
  private static let summary = ("summary", "r->'summary'")
  private static let point = (
    "position",
    """
    ST_SetSRID(ST_MakePoint((r->'document'->>'lon')::float8, (r->'document'->>'lat')::float8),
      4326)::geography
    """
  )

  private static func text(_ name: String) -> (String, String) {
    (name, "r->'document'->>'\(name)'")
  }

  private static func time(_ name: String) -> (String, String) {
    (name, "(r->>'\(name)')::timestamptz")
  }

  private static func record(
    of summary: some Encodable, _ document: JSON, adding more: [String: JSON]
  ) throws -> JSON {
    let encoded = try JSON.read(Array(JSONEncoder().encode(summary)))
    return JSON.object([
      "id": document.members?["id"] ?? .null, "document": document, "summary": encoded,
    ]).adding(more)
  }

  /// A moment that PostgreSQL can hold; null for the year 0, which a wrong clock may show.
  static func moment(_ time: Timestamp) -> JSON {
    Timestamp.writable.contains(time) && time > firstMoment ? .time(time) : .null
  }

  /// The beginning of the year 1.
  static let firstMoment = Timestamp(milliseconds: -62_135_596_800_000)

  private static func geometry(of geometry: FenceGeometry) -> [String: JSON] {
    func place(_ place: Coordinate) -> JSON {
      .array([.real(place.longitude), .real(place.latitude)])
    }
    func ring(_ ring: Ring) -> JSON {
      .array((ring.vertices + ring.vertices.prefix(1)).map(place))
    }
    switch geometry {
    case .circle(let center, let radius):
      return [
        "geometry": .object(["type": .string("Point"), "coordinates": place(center)]),
        "radius": .real(Double(radius) / 100),
      ]
    case .polygons(let polygons):
      let coordinates = polygons.map { JSON.array(([$0.outer] + $0.holes).map(ring)) }
      return [
        "geometry": .object([
          "type": .string("MultiPolygon"), "coordinates": .array(coordinates),
        ])
      ]
    }
  }
}
