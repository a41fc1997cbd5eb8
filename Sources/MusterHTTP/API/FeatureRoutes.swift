internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// A layer of map features.
struct FeatureLayer: Sendable {
  /// What the features of a layer are.
  enum Kind: String, CaseIterable, Sendable {
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
  }

  let id: String
  let title: String
  let kind: Kind
  /// The operation, of a service with several; else nil.
  let operation: OperationID?
}

/// A service with layers, each read page by page.
protocol FeatureService: Sendable {
  func featureTitle() async throws -> String

  func layers() async throws -> [FeatureLayer]

  /// Returns nil if there is no layer with that id.
  func layer(named id: String) async throws -> FeatureLayer?

  /// Returns the wanted features after a cursor; a page may have fewer than fit before the last.
  func page(
    of layer: FeatureLayer, after cursor: String?, limit: Int,
    where isWanted: (Rows.Row) -> Bool
  ) async throws -> FeaturePage

  /// Returns a feature by its id, at the cost of that one; nil if there is none.
  func feature(_ id: String, of layer: FeatureLayer) async throws -> String?
}

/// OGC API – Features, part 1 (core, GeoJSON; OGC 17-069r4), below `/ogc`: layers that QGIS, GDAL
/// and OWSLib read page by page.
enum FeatureRoutes {
  /// - Parameters:
  ///   - usual: the rights of a route whose cost is that of its answer.
  ///   - dear: the rights of a search.
  static func routes<Service: FeatureService>(
    usual: RouteRights, dear: RouteRights
  ) -> [ServiceRoute<Service>] {
    landing(usual) + collections(usual) + items(usual, dear)
  }

  private static func landing<Service: FeatureService>(
    _ rights: RouteRights
  ) -> [ServiceRoute<Service>] {
    [
      ServiceRoute(
        .get, "/ogc", "Describe the service (OGC API – Features)", rights: rights,
        result: .json(.open([.must("title", .text), .must("links", links)]))
      ) { service, call in
        .ok(
          .object([
            "title": .string(try await service.featureTitle()),
            "description": .string("People, reports and zones of an operation"),
            "links": .array([
              link(call, "self", "", json), link(call, "conformance", "/conformance", json),
              link(call, "data", "/collections", json),
              link("service-desc", call.origin + "/openapi.json", openAPI),
              link("service-doc", call.origin + "/openapi.json", openAPI),
            ]),
          ]))
      },
      ServiceRoute(
        .get, "/ogc/conformance", "List the classes that the service conforms to", rights: rights,
        result: .json(.open([.must("conformsTo", .list(.text, most: 10))]))
      ) { _, _ in
        let classes = ["core", "geojson", "oas30"]
        return .ok(
          .object([
            "conformsTo": .strings(
              classes.map { "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/\($0)" })
          ]))
      },
    ]
  }

  private static func collections<Service: FeatureService>(
    _ rights: RouteRights
  ) -> [ServiceRoute<Service>] {
    [
      ServiceRoute(
        .get, "/ogc/collections", "List the layers", rights: rights,
        result: .json(
          .open([
            .must("links", links),
            .must("collections", .list(described, most: Int(Rows.mostPerPage))),
          ]))
      ) { service, call in
        let layers = try await service.layers()
        return .ok(
          .object([
            "links": .array([link(call, "self", "/collections", json)]),
            "collections": .array(layers.map { description(of: $0, call) }),
          ]))
      },
      ServiceRoute(
        .get, "/ogc/collections/{id}", "Describe a layer", rights: rights, result: .json(described)
      ) { service, call in .ok(description(of: try await layer(of: service, call), call)) },
    ]
  }

  private static func items<Service: FeatureService>(
    _ rights: RouteRights, _ dear: RouteRights
  ) -> [ServiceRoute<Service>] {
    [
      ServiceRoute(
        .get, "/ogc/collections/{id}/items", "List the features of a layer", rights: dear,
        parameters: parameters, result: .other(type: geoJSON)
      ) { service, call in try await items(of: try await layer(of: service, call), service, call) },
      ServiceRoute(
        .get, "/ogc/collections/{id}/items/{feature}", "Get a feature", rights: rights,
        result: .other(type: geoJSON)
      ) { service, call in
        let name = call.path["feature"] ?? ""
        let layer = try await layer(of: service, call)
        guard let row = try await service.feature(name, of: layer) else {
          throw Problem(.notFound, "there is no feature \(name.prefix(60))")
        }
        return Answer(.ok, text: row, type: geoJSON)
      },
    ]
  }

  private static let json = "application/json"
  private static let geoJSON = "application/geo+json"
  private static let openAPI = "application/vnd.oai.openapi+json;version=3.0"
  private static let links = Shape.list(
    .open([.must("href", .text), .must("rel", .text)]), most: 10)
  private static let described = Shape.open([
    .must("id", .text), .must("title", .text), .must("links", links),
  ])

  private static let parameters = [
    RouteDescription.Parameter(
      name: "limit", shape: .limit(most: Rows.mostPerPage), isRequired: false,
      about: "The page size; \(Rows.page) by default."),
    RouteDescription.Parameter(
      name: "bbox", shape: .box, isRequired: false,
      about: "Only features that intersect west,south,east,north, in degrees."),
    RouteDescription.Parameter(
      name: "datetime", shape: .text, isRequired: false,
      about: "Only features of this time, or of an interval such as 2026-08-05T14:00:00Z/.."),
    RouteDescription.Parameter(
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

  private static func layer(
    of service: some FeatureService, _ call: Call
  ) async throws -> FeatureLayer {
    guard let layer = try await service.layer(named: call.id) else {
      let names = try await service.layers().prefix(10).map(\.id).joined(separator: ", ")
      throw Problem(.notFound, "the layers are \(names)")
    }
    return layer
  }

  private static func description(of layer: FeatureLayer, _ call: Call) -> JSON {
    let path = "/collections/\(layer.id)"
    return .object([
      "id": .string(layer.id), "title": .string(layer.title),
      "itemType": .string("feature"),
      "crs": .strings(["http://www.opengis.net/def/crs/OGC/1.3/CRS84"]),
      "links": .array([
        link(call, "self", path, json), link(call, "items", path + "/items", geoJSON),
      ]),
    ])
  }

  // MARK: Features

  private static func items(
    of layer: FeatureLayer, _ service: some FeatureService, _ call: Call
  ) async throws -> Answer {
    let box = try call.query["bbox"]?.word.map { try Box(parsing: $0) }
    let period = try call.query["datetime"]?.word.map { try Period(parsing: $0) }
    let limit = Int(call.queryInteger("limit") ?? Rows.page)
    let page = try await service.page(
      of: layer, after: call.query["cursor"]?.word, limit: limit
    ) { row in
      (box.map { row.box?.meets($0) ?? false } ?? true)
        && (period.map { row.time.map($0.meets) ?? true } ?? true)
    }
    var query = call.query
    var links = [link("self", address(of: layer, query, call), geoJSON)]
    if let next = page.next {
      query["cursor"] = .string(next)
      links.append(link("next", address(of: layer, query, call), geoJSON))
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
    of layer: FeatureLayer, _ query: [String: JSON], _ call: Call
  ) -> String {
    let words = query.sorted { $0.key < $1.key }.map { name, value in
      let text = value.word ?? value.text
      return "\(name)=\(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text)"
    }
    return call.origin + "/ogc/collections/\(layer.id)/items"
      + (words.isEmpty ? "" : "?" + words.joined(separator: "&"))
  }
}

extension CrossingSummary {
  /// The event as a feature.
  var row: Rows.Row {
    Rows.Row(
      id: "\(id)", json: json.text, feature: GeoJSON.feature(of: self), box: Box(position),
      time: sampleTime...sampleTime)
  }
}

extension [Fix] {
  /// The track as a feature; nil without a fix.
  func row(of user: UserSummary) -> Rows.Row? {
    guard let first, let last else { return nil }
    let track = OperationExport.PersonTrack(callsign: user.callsign, fixes: self)
    return Rows.Row(
      id: "\(user.id)", json: "", feature: GeoJSON.feature(of: track, named: user.id),
      box: Box(around: [map(\.position)]),
      time: Swift.min(
        first.sampleTime, last.sampleTime)...Swift.max(first.sampleTime, last.sampleTime))
  }
}
