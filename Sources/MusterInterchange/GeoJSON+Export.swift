public import Foundation
internal import MusterGeo
public import MusterModel

extension GeoJSON {
  /// Writes fences as one FeatureCollection: closed rings, outer ones counter-clockwise, up to
  /// seven decimals, sorted keys, so that the output is deterministic.
  ///
  /// For tools without circles, `circlesAsPolygons` converts each into a polygon of 64 sides with
  /// its corners on the circle (fewer for a radius of a few centimetres). A circle that contains a
  /// pole or spans a hemisphere has no such polygon and stays a Point.
  public static func featureCollection(
    of fences: [ExportedFence], circlesAsPolygons: Bool
  ) -> Data {
    let features = fences.map { feature($0, circlesAsPolygons: circlesAsPolygons) }
    let collection: [String: JSON] = [
      "type": .string("FeatureCollection"), "features": .array(features),
    ]
    return Data(JSONWriter.pretty(.object(collection)).utf8)
  }

  /// Returns a fence as a Feature; a circle as a Point with `radius_m`.
  public static func feature(of fence: ExportedFence) -> JSON {
    feature(fence, circlesAsPolygons: false)
  }

  // MARK: For map programs

  /// Returns the fence as a Feature on one line, a circle as a polygon if it has one.
  public static func feature(of fence: FenceSummary) -> String {
    feature(geometry(of: fence.geometry.withCircleAsPolygons), id: fence.id, fence.mapProperties)
  }

  /// Returns the person's position as a Feature on one line; nil without one.
  ///
  /// - Parameter more: further properties.
  public static func feature(of user: UserSummary, adding more: [String: JSON] = [:]) -> String? {
    user.fix.map { fix in
      point(fix.position, id: user.id, user.mapProperties.merging(more) { $1 })
    }
  }

  /// Returns the report's position as a Feature on one line; nil without one.
  ///
  /// - Parameter more: further properties.
  public static func feature(
    of report: ReportSummary, adding more: [String: JSON] = [:]
  ) -> String? {
    report.position.map { place in
      point(place, id: report.id, report.mapProperties.merging(more) { $1 })
    }
  }

  /// Returns a zone entry or exit as a Feature on one line.
  public static func feature(of crossing: CrossingSummary) -> String {
    point(crossing.position, id: crossing.id, crossing.mapProperties)
  }

  /// Returns the track as a Feature on one line.
  public static func feature(
    of track: OperationExport.PersonTrack, named user: UserID
  ) -> String {
    feature(line(track.line.map(\.position)), id: user, track.mapProperties)
  }

  /// Returns the track as a Feature on one line, without an id.
  static func feature(of track: OperationExport.PersonTrack) -> String {
    feature(line(track.line.map(\.position)), track.mapProperties).text
  }

  private static func point(
    _ place: Coordinate, id: some Identifier, _ properties: [String: JSON]
  ) -> String {
    feature(typed("Point", coordinates: position(place)), id: id, properties)
  }

  private static func feature(
    _ geometry: JSON, id: some Identifier, _ properties: [String: JSON]
  ) -> String {
    feature(geometry, properties).adding(["id": .id(id)]).text
  }

  private static func feature(_ geometry: JSON, _ properties: [String: JSON]) -> JSON {
    .object([
      "type": .string("Feature"), "geometry": geometry, "properties": .object(properties),
    ])
  }

  // MARK: Fences

  private static func feature(_ fence: ExportedFence, circlesAsPolygons: Bool) -> JSON {
    var properties = moreProperties(fence.properties)
    properties[Key.name] = .string(fence.name)
    properties[Key.kind] = .string(fence.kind)
    properties[Key.isActive] = .bool(fence.isActive)
    properties[Key.radius] = nil
    if case .circle(_, let radiusCentimetres) = fence.geometry {
      properties[Key.radius] = .number(decimal(Int64(radiusCentimetres), places: 2))
    }
    let shape = circlesAsPolygons ? fence.geometry.withCircleAsPolygons : fence.geometry
    return feature(geometry(of: shape), properties).adding(["id": .string(fence.id)])
  }

  /// Returns the properties that were imported with an outline.
  static func moreProperties(_ text: String?) -> [String: JSON] {
    guard let text, !text.isEmpty else { return [:] }
    do {
      let value = try JSONReader.value(of: Data(text.utf8))
      if let members = value.members, value.firstNotNumber == nil { return members }
    } catch {
      // Free text, not JSON: it is exported unchanged.
    }
    return [Key.words: .string(text)]
  }

  // MARK: Geometry

  /// Returns the outline; a circle is the Point of its centre.
  static func geometry(of geometry: FenceGeometry) -> JSON {
    switch geometry {
    case .circle(let center, _):
      return typed("Point", coordinates: position(center))
    case .polygons(let polygons):
      let coordinates = polygons.map { polygon in
        JSON.array(([polygon.outer] + polygon.holes).map(ring))
      }
      return coordinates.count == 1
        ? typed("Polygon", coordinates: coordinates[0])
        : typed("MultiPolygon", coordinates: .array(coordinates))
    }
  }

  /// Returns a line, in parts where it crosses 180 degrees of longitude (RFC 7946 3.1.9).
  public static func line(_ places: [Coordinate]) -> JSON {
    let parts = Antimeridian.parts(ofLine: places).map { JSON.array($0.map(position)) }
    return parts.count == 1
      ? typed("LineString", coordinates: parts[0])
      : typed("MultiLineString", coordinates: .array(parts))
  }

  /// Returns a polygon of closed rings, the outline first, in parts where it crosses 180 degrees.
  public static func polygon(_ rings: [[Coordinate]]) -> JSON {
    let parts = Antimeridian.parts(ofPolygon: rings).map { part in
      JSON.array(part.map { JSON.array($0.map(position)) })
    }
    return parts.count == 1
      ? typed("Polygon", coordinates: parts[0])
      : typed("MultiPolygon", coordinates: .array(parts))
  }

  /// Returns a point.
  public static func point(_ place: Coordinate) -> JSON {
    typed("Point", coordinates: position(place))
  }

  private static func typed(_ type: String, coordinates: JSON) -> JSON {
    .object(["type": .string(type), "coordinates": coordinates])
  }

  private static func ring(_ ring: Ring) -> JSON {
    .array((ring.vertices + ring.vertices.prefix(1)).map(position))
  }

  private static func position(_ place: Coordinate) -> JSON {
    .array([
      .number(Degrees.text(place.longitudeE7)), .number(Degrees.text(place.latitudeE7)),
    ])
  }

  /// Returns an integer with its decimal point moved to the left, without trailing zeros.
  static func decimal(_ value: Int64, places: Int) -> String {
    let digits = String(value.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    var fraction = padded.suffix(places)
    while fraction.last == "0" { fraction.removeLast() }
    let whole = (value < 0 ? "-" : "") + padded.dropLast(places)
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }
}
