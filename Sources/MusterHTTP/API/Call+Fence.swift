internal import MusterInterchange
internal import MusterModel

/// Fences in request bodies: `circle`, or an outline as GeoJSON.
extension Call {
  /// Parses a new fence, and whether it is active from the start.
  func fence() throws(Problem) -> (draft: FenceDraft, isActive: Bool) {
    guard let outline = try outline() else { throw Self.oneOutline }
    let kind = text("kind").flatMap(FenceKind.init(name:)) ?? outline.kind ?? .info
    let draft = FenceDraft(
      name: text("name") ?? "", kind: kind, geometry: outline.geometry,
      properties: outline.properties)
    return (draft, flag("active") ?? outline.isActive ?? true)
  }

  /// The outline in a body; GeoJSON may contain the other members too.
  struct Outline {
    var geometry: FenceGeometry
    var kind: FenceKind?
    var properties: String?
    var isActive: Bool?
  }

  /// Parses the outline; nil if the body has none, an error if it has two.
  func outline() throws(Problem) -> Outline? {
    switch (self["circle"], self["geojson"]) {
    case (nil, nil): return nil
    case (let circle?, nil): return Outline(geometry: try Self.circle(circle))
    case (nil, let file?): return try Self.outline(in: file)
    default: throw Self.oneOutline
    }
  }

  private static let oneOutline = Problem(
    .unprocessableContent, "send either circle or geojson")

  private static func circle(_ circle: JSON) throws(Problem) -> FenceGeometry {
    guard case .number(let latitude)? = circle.members?["lat"],
      case .number(let longitude)? = circle.members?["lon"],
      case .number(let radius)? = circle.members?["radiusMetres"],
      let degrees = Double(latitude), let east = Double(longitude), let metres = Double(radius),
      let center = Coordinate(latitude: degrees, longitude: east)
    else { throw Problem(.badRequest, "the coordinates are out of range", at: "/circle") }
    return .circle(center: center, radiusCentimetres: UInt32((metres * 100).rounded()))
  }

  private static func outline(in file: JSON) throws(Problem) -> Outline {
    let fences: [ImportedFence]
    do {
      fences = try GeoJSON.fences(from: file)
    } catch {
      throw Problem(.unprocessableContent, "\(error)", at: "/geojson")
    }
    guard fences.count == 1, let fence = fences.first else {
      throw Problem(.unprocessableContent, "send a single outline", at: "/geojson")
    }
    return Outline(
      geometry: fence.geometry, kind: fence.kind.flatMap(FenceKind.init(name:)),
      properties: fence.properties, isActive: fence.isActive)
  }
}

extension Shape {
  /// A centre, and a radius up to the limit.
  static let circle = Shape.object(
    [
      .must("lat", .latitude), .must("lon", .longitude),
      .must("radiusMetres", .number(0.01...Double(Limits.circleRadiusCentimetres) / 100)),
    ], least: 3)
}
