internal import Hummingbird
internal import MusterInterchange

/// The routes for map programs: GeoJSON layers, and the operation as KML.
enum MapFeeds {
  static let routes: [Route] = [
    layer("/api/v1/members.geojson", "Export people's positions as GeoJSON", .users),
    layer("/api/v1/reports.geojson", "Export reports as GeoJSON", .reports),
    layer("/api/v1/fences.geojson", "Export fences as GeoJSON", .fences),
    Route(
      .get, "/api/v1/operation.kml", "Export people, reports and fences as KML", rights: .dearRead,
      result: .other(type: kml)
    ) { api, _ in
      guard case .users(let users) = try await api.ask(.users),
        case .reports(let reports) = try await api.ask(.reports),
        case .fences(let fences) = try await api.ask(.fences)
      else { throw Problem.unexpected }
      let export = OperationExport(
        name: try await api.status().summary.operationName, users: users, reports: reports,
        fences: fences, events: [], tracks: [])
      return Answer(.ok, text: export.kml(), type: kml)
    },
  ]

  private static let kml = "application/vnd.google-earth.kml+xml"

  static let box = RouteDescription.Parameter(
    name: "bbox", shape: .box, isRequired: false,
    about: "Only features that intersect west,south,east,north, in degrees.")

  private static func layer(_ path: String, _ summary: String, _ set: API.Listed) -> Route {
    return Route(
      .get, path, summary, rights: .read, parameters: [box],
      result: .other(type: "application/geo+json")
    ) { api, call in
      let area = try call.query["bbox"]?.word.map { try Box(parsing: $0) }
      let features = try await api.rows(set).features(in: area)
      return Answer(.ok, bytes: features, type: "application/geo+json")
    }
  }
}
