internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// OGC API – Features, part 1 (core, GeoJSON; OGC 17-069r4), below `/ogc`: the operation as layers
/// that QGIS, GDAL and OWSLib read page by page.
enum FeatureRoutes {
  /// A layer.
  enum Collection: String, CaseIterable, Sendable {
    case members, reports, fences, events, tracks

    var title: String {
      switch self {
      case .members: "People at their last position"
      case .reports: "Hazard reports"
      case .fences: "Zones"
      case .events: "Zone entries and exits"
      case .tracks: "Tracks of people, as far as they are stored here"
      }
    }

    fileprivate var source: Source {
      switch self {
      case .members: .list(.users)
      case .reports: .list(.reports)
      case .fences: .list(.fences)
      case .events: .events
      case .tracks: .tracks
      }
    }
  }

  /// Where the features of a layer are read.
  fileprivate enum Source {
    case list(API.Listed)
    case events, tracks
  }

  static let routes: [Route] = [
    Route(
      .get, "/ogc", "Describe the service (OGC API – Features)",
      result: .json(.open([.must("title", .text), .must("links", links)]))
    ) { api, call in
      .ok(
        .object([
          "title": .string(try await api.status().summary.operationName),
          "description": .string("People, reports and zones of this operation at this node"),
          "links": .array([
            link(call, "self", "", json), link(call, "conformance", "/conformance", json),
            link(call, "data", "/collections", json),
            link("service-desc", call.origin + "/openapi.json", openAPI),
            link("service-doc", call.origin + "/openapi.json", openAPI),
          ]),
        ]))
    },
    Route(
      .get, "/ogc/conformance", "List the classes that the service conforms to",
      result: .json(.open([.must("conformsTo", .list(.text, most: 10))]))
    ) { _, _ in
      let classes = ["core", "geojson", "oas30"]
      return .ok(
        .object([
          "conformsTo": .strings(
            classes.map { "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/\($0)" })
        ]))
    },
    Route(
      .get, "/ogc/collections", "List the layers",
      result: .json(
        .open([.must("links", links), .must("collections", .list(described, most: 10))]))
    ) { _, call in
      .ok(
        .object([
          "links": .array([link(call, "self", "/collections", json)]),
          "collections": .array(Collection.allCases.map { description(of: $0, call) }),
        ]))
    },
    Route(
      .get, "/ogc/collections/{id}", "Describe a layer", result: .json(described)
    ) { _, call in .ok(description(of: try collection(call), call)) },
    Route(
      .get, "/ogc/collections/{id}/items", "List the features of a layer",
      parameters: parameters, result: .other(type: geoJSON)
    ) { api, call in try await items(try collection(call), api, call) },
    Route(
      .get, "/ogc/collections/{id}/items/{feature}", "Get a feature",
      result: .other(type: geoJSON)
    ) { api, call in
      let name = call.path["feature"] ?? ""
      guard let row = try await feature(name, of: try collection(call), api) else {
        throw Problem(.notFound, "there is no feature \(name.prefix(60))")
      }
      return Answer(.ok, text: row, type: geoJSON)
    },
  ]

  /// The tracks of a page.
  private static let mostTracks = 100
  private static let json = "application/json"
  private static let geoJSON = "application/geo+json"
  private static let openAPI = "application/vnd.oai.openapi+json;version=3.0"
  private static let links = Shape.list(
    .open([.must("href", .text), .must("rel", .text)]), most: 10)
  private static let described = Shape.open([
    .must("id", .text), .must("title", .text), .must("links", links),
  ])

  private static let parameters = [
    Route.Parameter(
      name: "limit", shape: .integer(1...Rows.mostPerPage), isRequired: false,
      about: "The page size; \(Rows.page) by default."),
    Route.Parameter(
      name: "bbox", shape: .box, isRequired: false,
      about: "Only features that intersect west,south,east,north, in degrees."),
    Route.Parameter(
      name: "datetime", shape: .text, isRequired: false,
      about: "Only features of this time, or of an interval such as 2026-08-05T14:00:00Z/.."),
    Route.Parameter(
      name: "cursor", shape: .text, isRequired: false,
      about: "The start of a page, as the link `next` has it."),
  ]

  // MARK: Links

  private static func link(_ rel: String, _ address: String, _ type: String) -> JSON {
    .object(["rel": .string(rel), "href": .string(address), "type": .string(type)])
  }

  private static func link(
    _ call: Call, _ rel: String, _ path: String, _ type: String
  ) -> JSON {
    link(rel, call.origin + "/ogc" + path, type)
  }

  private static func collection(_ call: Call) throws(Problem) -> Collection {
    guard let collection = Collection(rawValue: call.id) else {
      let names = Collection.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.notFound, "the layers are \(names)")
    }
    return collection
  }

  private static func description(of collection: Collection, _ call: Call) -> JSON {
    let path = "/collections/\(collection.rawValue)"
    return .object([
      "id": .string(collection.rawValue), "title": .string(collection.title),
      "itemType": .string("feature"),
      "crs": .strings(["http://www.opengis.net/def/crs/OGC/1.3/CRS84"]),
      "links": .array([
        link(call, "self", path, json), link(call, "items", path + "/items", geoJSON),
      ]),
    ])
  }

  // MARK: Features

  private static func items(
    _ collection: Collection, _ api: API, _ call: Call
  ) async throws -> Answer {
    let box = try call.query["bbox"]?.word.map { try Box(parsing: $0) }
    let period = try call.query["datetime"]?.word.map { try Period(parsing: $0) }
    let limit = Int(call.queryInteger("limit") ?? Rows.page)
    let page = try await page(
      of: collection, api, after: call.query["cursor"]?.word, limit: limit
    ) { row in
      (box.map { row.box?.meets($0) ?? false } ?? true)
        && (period.map { row.time.map($0.meets) ?? true } ?? true)
    }
    var query = call.query
    var links = [link("self", address(of: collection, query, call), geoJSON)]
    if let next = page.next {
      query["cursor"] = .string(next)
      links.append(link("next", address(of: collection, query, call), geoJSON))
    }
    var text = ByteBuffer(string: "{\"type\":\"FeatureCollection\",\"features\":[")
    text.writeString(page.features.joined(separator: ","))
    let stamp = JSON.time(SystemClock.wall).text
    text.writeString(
      "],\"numberReturned\":\(page.features.count),\"timeStamp\":\(stamp),"
        + "\"links\":\(JSON.array(links).text)}")
    return Answer(.ok, bytes: text, type: geoJSON)
  }

  private static func address(
    of collection: Collection, _ query: [String: JSON], _ call: Call
  ) -> String {
    let words = query.sorted { $0.key < $1.key }.map { name, value in
      let text = value.word ?? value.text
      return "\(name)=\(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text)"
    }
    return call.origin + "/ogc/collections/\(collection.rawValue)/items"
      + (words.isEmpty ? "" : "?" + words.joined(separator: "&"))
  }

  private static func page(
    of collection: Collection, _ api: API, after cursor: String?, limit: Int,
    where isWanted: (Rows.Row) -> Bool
  ) async throws -> FeaturePage {
    switch collection.source {
    case .list(let set):
      let rows = try await api.rows(set).rows(after: cursor)
      return try await FeaturePage(
        of: rows, limit: limit, cursor: \.id, row: { $0 }, where: isWanted)
    case .tracks:
      // A track is long: those of one page are read, and the one that decides whether more follow.
      let users = try await users(api).filter { user in cursor.map { $0 < "\(user.id)" } ?? true }
      return try await FeaturePage(
        of: users, limit: min(limit, mostTracks), cursor: { "\($0.id)" },
        row: { try await track(of: $0, api) }, where: isWanted)
    case .events:
      guard let arrival = Int64(cursor ?? "0") else {
        throw Problem(.badRequest, "the cursor is of no page", at: "cursor")
      }
      // A page that finds little ends early, so that no request reads the whole table.
      let command = Command.events(after: arrival, limit: Int(Rows.mostPerPage))
      guard case .events(let events) = try await api.ask(command) else { throw Problem.unexpected }
      return try await FeaturePage(
        of: events, isLast: events.count < Rows.mostPerPage, limit: limit,
        cursor: { "\($0.arrival)" }, row: \.row, where: isWanted)
    }
  }

  /// Returns a feature by its id, at the cost of that one; nil if there is none.
  private static func feature(
    _ id: String, of collection: Collection, _ api: API
  ) async throws -> String? {
    switch collection.source {
    case .list(let set):
      guard let row = try await api.rows(set)[id], !row.feature.isEmpty else { return nil }
      return row.feature
    case .events:
      guard let id = CrossingID(hex: id) else { return nil }
      return try await api.node.crossing(id)?.row.feature
    case .tracks:
      guard let user = try await users(api).first(where: { "\($0.id)" == id }) else { return nil }
      return try await track(of: user, api)?.feature
    }
  }

  private static func users(_ api: API) async throws -> [UserSummary] {
    guard case .users(let users) = try await api.ask(.users) else { throw Problem.unexpected }
    return users.sorted { "\($0.id)" < "\($1.id)" }
  }

  /// Returns the newest fixes of a person; nil without any.
  private static func track(of user: UserSummary, _ api: API) async throws -> Rows.Row? {
    let fixes = try await api.node.track(of: user.id, limit: Int(Rows.mostPerPage))
    guard let first = fixes.first, let last = fixes.last else { return nil }
    let track = OperationExport.PersonTrack(callsign: user.callsign, fixes: fixes)
    return Rows.Row(
      id: "\(user.id)", json: "", feature: GeoJSON.feature(of: track, named: user.id),
      box: Box(around: fixes.map(\.position)),
      time: min(first.sampleTime, last.sampleTime)...max(first.sampleTime, last.sampleTime))
  }
}

extension CrossingSummary {
  fileprivate var row: Rows.Row {
    Rows.Row(
      id: "\(id)", json: "", feature: GeoJSON.feature(of: self), box: Box(position),
      time: sampleTime...sampleTime)
  }
}

/// An instant, or an interval that may be open at either end (OGC 17-069r4, 7.15.4).
struct Period: Hashable, Sendable {
  private var earliest: Timestamp?
  private var latest: Timestamp?

  /// Parses an instant of RFC 3339, or two with a slash between; `..` or nothing is an open end.
  init(parsing text: String) throws(Problem) {
    let ends = text.split(separator: "/", omittingEmptySubsequences: false)
    func end(_ words: Substring) throws(Problem) -> Timestamp? {
      if ends.count == 2, words.isEmpty || words == ".." { return nil }
      guard let time = Timestamp(rfc3339: words) else {
        throw Problem(
          .badRequest, "write a time as 2010-08-05T14:23:59Z, or an interval as TIME/TIME",
          at: "datetime")
      }
      return time
    }
    guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
      throw Problem(.badRequest, "an interval has two ends", at: "datetime")
    }
    (earliest, latest) = (try end(first), try end(last))
    if let earliest, let latest, latest < earliest {
      throw Problem(.badRequest, "the interval ends before it begins", at: "datetime")
    }
  }

  func meets(_ time: ClosedRange<Timestamp>) -> Bool {
    (earliest.map { $0 <= time.upperBound } ?? true)
      && (latest.map { time.lowerBound <= $0 } ?? true)
  }
}
