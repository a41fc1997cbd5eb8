internal import MusterInterchange
internal import MusterModel

/// The routes of an archive: all operations of a reader, and each one by the reading routes of a
/// node, in the same JSON.
enum ArchiveRoutes {
  typealias ArchiveRoute = ServiceRoute<ArchiveAPI>

  static let all: [ArchiveRoute] =
    across + lists + single + photos + places + maps + probes
    + FeatureRoutes.routes(usual: .archive, dear: .archive)

  private static let base = "/api/v1/operations/{operation}"
  private static let many = Int(Rows.mostPerPage)

  private static func parameter(
    _ name: String, _ shape: Shape, _ about: String, isRequired: Bool = false
  ) -> RouteDescription.Parameter {
    RouteDescription.Parameter(name: name, shape: shape, isRequired: isRequired, about: about)
  }

  private static func time(_ call: Call, _ name: String) -> Timestamp? {
    call.query[name]?.word.flatMap { Timestamp(rfc3339: $0) }
  }

  private static func items(_ values: [JSON]) -> Answer { .ok(.object(["items": .array(values)])) }

  // MARK: Across operations

  private static let across: [ArchiveRoute] = [
    ArchiveRoute(
      .get, "/api/v1/operations", "List the operations that the token may read", rights: .archive,
      result: .json(.open([.must("items", .list(.named("ArchivedOperation"), most: many))]))
    ) { api, _ in
      items(try await api.archive.operations(api.reader.operations).prefix(many).map(\.json))
    },
    ArchiveRoute(
      .get, base, "Get an operation", rights: .archive, result: .json(.named("ArchivedOperation"))
    ) { api, call in
      let id = try await api.operation(call)
      return .ok(try ArchiveAPI.one(try await api.archive.operations([id]), named: "\(id)").json)
    },
    ArchiveRoute(
      .get, "/api/v1/search", "Find reports, events and positions of all operations, newest first",
      rights: .archive,
      parameters: [
        parameter("text", .line, "A part of a title, a description or the name of a zone."),
        parameter("person", .line, "The callsign of a person."),
        parameter("lat", .latitude, "The centre of an area, with `lon` and `metres`."),
        parameter("lon", .longitude, "In degrees."),
        parameter("metres", .number(1...21_000_000), "The radius of the area."),
        parameter("since", .time, "The earliest time."),
        parameter("until", .time, "The latest time."),
        parameter("operation", .line, "A name, or the first digits of an id."),
        parameter("limit", .limit(most: Rows.mostPerPage), "The most results; 100 by default."),
      ],
      result: .json(.open([.must("items", .list(.named("ArchiveFinding"), most: many))]))
    ) { api, call in
      items(try await api.archive.find(search(call, by: api.reader)).map(\.json))
    },
  ]

  private static func search(
    _ call: Call, by reader: ArchiveReader
  ) throws(Problem) -> ArchiveSearch {
    var search = ArchiveSearch()
    search.operations = reader.operations
    search.text = call.query["text"]?.word
    search.person = call.query["person"]?.word
    search.operation = call.query["operation"]?.word
    (search.since, search.until) = (time(call, "since"), time(call, "until"))
    search.limit = Int(call.queryInteger("limit") ?? 100)
    let area = ["lat", "lon", "metres"].map(call.queryNumber)
    guard area.contains(where: { $0 != nil }) else { return search }
    guard let latitude = area[0], let longitude = area[1], let metres = area[2],
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { throw Problem(.badRequest, "an area needs lat, lon and metres", at: "lat") }
    search.area = .init(center: center, radiusMetres: metres)
    return search
  }

  // MARK: Lists

  private static let lists: [ArchiveRoute] = [
    list(.users, "List people with their last status", "User"),
    list(.reports, "List hazard reports", "Report"),
    list(.fences, "List geofences", "Fence"),
    list(.directives, "List directives", "Directive"),
    list(.events, "List ENTER and EXIT events by id", "Event"),
  ]

  private static func list(
    _ set: ArchivedSet, _ summary: String, _ shape: String
  ) -> ArchiveRoute {
    ArchiveRoute(
      .get, "\(base)/\(set.rawValue)", summary, rights: .archive, parameters: ListRoutes.paging,
      result: .json(
        .open([
          .must("items", .list(.named(shape), most: many)), .must("next", .nullable(.text)),
        ]))
    ) { api, call in
      let page = try await api.page(
        of: set, in: api.operation(call), after: call.query["cursor"]?.word,
        limit: Int(call.queryInteger("limit") ?? Rows.page))
      return Answer(.ok, bytes: page, type: "application/json")
    }
  }

  // MARK: Single rows

  private static let single: [ArchiveRoute] = [
    ArchiveRoute(
      .get, "\(base)/users/{id}", "Get a person by id or callsign", rights: .archive,
      result: .json(.named("User"))
    ) { api, call in
      .ok(try await api.user(in: api.operation(call), named: call.id).json)
    },
    ArchiveRoute(
      .get, "\(base)/reports/{id}", "Get a report with its photos", rights: .archive,
      result: .json(.named("ReportDetails"))
    ) { api, call in
      let found = try await api.reports(in: api.operation(call), .named(call.id))
      return .ok(try ArchiveAPI.one(found, named: call.id).detailsJSON)
    },
    ArchiveRoute(
      .get, "\(base)/fences/{id}", "Get a fence", rights: .archive, result: .json(.named("Fence"))
    ) { api, call in
      let found = try await api.fences(in: api.operation(call), .named(call.id))
      return .ok(try ArchiveAPI.one(found, named: call.id).json)
    },
    ArchiveRoute(
      .get, "\(base)/directives/{id}", "Get a directive", rights: .archive,
      result: .json(.named("Directive"))
    ) { api, call in
      let found = try await api.directives(in: api.operation(call), .named(call.id))
      let directive = try ArchiveAPI.one(found, named: call.id)
      return .ok(directive.json(now: directive.createdAt))
    },
  ]

  // MARK: Photos

  private static let photos: [ArchiveRoute] = [
    ArchiveRoute(
      .get, "\(base)/reports/{id}/photos", "List the photos of a report", rights: .archive,
      result: .json(
        .open([.must("items", .list(.named("Photo"), most: Limits.photosPerReport))]))
    ) { api, call in
      let found = try await api.reports(in: api.operation(call), .named(call.id))
      return items(try ArchiveAPI.one(found, named: call.id).photos.map(\.json))
    },
    ArchiveRoute(
      .get, "\(base)/reports/{id}/photos/{n}", "Get a photo by its number or id, if it is archived",
      rights: .archive,
      result: .file(type: "image/jpeg")
    ) { api, call in
      let operation = try await api.operation(call)
      let report = try ArchiveAPI.one(
        try await api.reports(in: operation, .named(call.id)), named: call.id)
      let photo = try PhotoFile.named(call.photo, among: report.photos)
      let file = PhotoFile(photo, .original)
      guard try await api.archive.photoSize(photo.id, in: operation) == Int(file.status.bytes)
      else { throw Problem(.conflict, "the photo was not complete at the last projection") }
      return file.answer(to: call) { range in
        try await api.archive.photoBytes(photo.id, in: operation, range)
      }
    },
  ]

  // MARK: Positions

  private static let places: [ArchiveRoute] = [
    ArchiveRoute(
      .get, "\(base)/positions", "List the last positions of all people, now or at a past time",
      rights: .archive,
      parameters: [parameter("at", .time, "The instant; the end of what is archived by default.")],
      result: .json(.open([.must("items", .list(.named("Position"), most: many))]))
    ) { api, call in
      let operation = try await api.operation(call)
      guard let at = time(call, "at") else {
        let users = try await api.users(in: operation, .page(after: nil, limit: many))
        return items(users.compactMap(\.positionJSON))
      }
      return items(try await api.archive.positions(in: operation, at: at).map(\.json))
    },
    ArchiveRoute(
      .get, "\(base)/tracks/{id}", "Get a person's track, by time", rights: .archive,
      parameters: [
        ListRoutes.paging[0], parameter("from", .time, "The earliest time."),
        parameter("to", .time, "The latest time."),
      ], result: .json(.named("Track"))
    ) { api, call in
      let operation = try await api.operation(call)
      let user = try await api.user(in: operation, named: call.id)
      let fixes = try await api.archive.track(
        of: user.id, in: operation, from: time(call, "from"), to: time(call, "to"),
        limit: Int(call.queryInteger("limit") ?? Rows.page))
      return items(fixes.map(\.json))
    },
  ]

  // MARK: Maps

  private static let maps: [ArchiveRoute] = [
    layer("members.geojson", "Export people's positions as GeoJSON", .users),
    layer("reports.geojson", "Export reports as GeoJSON", .reports),
    layer("fences.geojson", "Export fences as GeoJSON", .fences),
  ]

  private static func layer(_ name: String, _ summary: String, _ set: ArchivedSet) -> ArchiveRoute {
    ArchiveRoute(
      .get, "\(base)/\(name)", summary, rights: .archive, parameters: [MapFeeds.box],
      result: .other(type: "application/geo+json")
    ) { api, call in
      let box = try call.query["bbox"]?.word.map { try Box(parsing: $0) }
      let features = try await api.layer(of: set, in: api.operation(call), box: box)
      return Answer(.ok, bytes: features, type: "application/geo+json")
    }
  }

  // MARK: Probes

  static let healthy = "/healthz"
  static let ready = "/readyz"

  private static let probes: [ArchiveRoute] = [
    ArchiveRoute(
      .get, healthy, "Check that the program runs", rights: .archiveProbe,
      result: .json(.named("Health"))
    ) {
      _, _ in .ok(.object(["status": .string("ok")]))
    },
    ArchiveRoute(
      .get, ready, "Check that the database answers", rights: .archiveProbe,
      result: .json(.named("Health"))
    ) { api, _ in
      _ = try await api.archive.names(of: [])
      return .ok(.object(["status": .string("ready")]))
    },
  ]
}

extension PastPosition {
  fileprivate var json: JSON {
    fix.json.adding([
      "id": .id(user), "callsign": .string(callsign), "reportedAt": .null, "fixAgeSeconds": .null,
    ])
  }
}

extension RouteRights {
  /// A read for every token; operations that a token may not read do not exist for it.
  static let archive = only(.dearRead, [.agency])
  /// A read that shows that the archive runs.
  fileprivate static let archiveProbe = only(.read, [.stranger, .agency])
}
