internal import MusterInterchange
internal import MusterModel

/// Fences as bodies give them: `circle`, or an outline as GeoJSON.
extension Call {
  /// A new fence, and whether it is watched from the start.
  func fence() throws(Problem) -> (draft: FenceDraft, isActive: Bool) {
    guard let outline = try outline() else { throw Self.oneOutline }
    let kind = text("kind").flatMap(FenceKind.init(name:)) ?? outline.kind ?? .info
    let draft = FenceDraft(
      name: text("name") ?? "", kind: kind, geometry: outline.geometry,
      properties: outline.properties)
    return (draft, flag("active") ?? outline.isActive ?? true)
  }

  /// What a body says of where a fence is; the rest may come with a file.
  struct Outline {
    var geometry: FenceGeometry
    var kind: FenceKind?
    var properties: String?
    var isActive: Bool?
  }

  /// Nil where the body gives neither; refused where it gives both.
  func outline() throws(Problem) -> Outline? {
    switch (self["circle"], self["geojson"]) {
    case (nil, nil): return nil
    case (let circle?, nil): return Outline(geometry: try Self.circle(circle))
    case (nil, let file?): return try Self.outline(in: file)
    default: throw Self.oneOutline
    }
  }

  private static let oneOutline = Problem(
    .unprocessableContent, "give one of circle and geojson")

  private static func circle(_ circle: JSON) throws(Problem) -> FenceGeometry {
    guard case .number(let latitude)? = circle.members?["lat"],
      case .number(let longitude)? = circle.members?["lon"],
      case .number(let radius)? = circle.members?["radiusMetres"],
      let degrees = Double(latitude), let east = Double(longitude), let metres = Double(radius),
      let center = Coordinate(latitude: degrees, longitude: east)
    else { throw Problem(.badRequest, "not on the Earth", at: "/circle") }
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
      throw Problem(.unprocessableContent, "one outline makes one fence", at: "/geojson")
    }
    return Outline(
      geometry: fence.geometry, kind: fence.kind.flatMap(FenceKind.init(name:)),
      properties: fence.properties, isActive: fence.isActive)
  }
}

extension Shape {
  /// A centre, and as far round it as a circle may reach.
  static let circle = Shape.object(
    [
      .must("lat", .latitude), .must("lon", .longitude),
      .must("radiusMetres", .number(0.01...Double(Limits.circleRadiusCentimetres) / 100)),
    ], least: 3)
}
