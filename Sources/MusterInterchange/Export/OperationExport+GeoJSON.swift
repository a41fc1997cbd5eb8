internal import MusterModel

extension OperationExport {
  /// Returns one FeatureCollection of people, reports, fences and tracks; the property `muster` of
  /// a feature names its type. Rows without a position are omitted.
  public func geoJSON() -> String {
    let features =
      fences.map(GeoJSON.feature) + reports.compactMap { GeoJSON.feature(of: $0) }
      + users.compactMap { GeoJSON.feature(of: $0) } + ways.map(Self.line)
    return "{\"type\":\"FeatureCollection\",\"features\":[\n"
      + features.joined(separator: ",\n") + "\n]}\n"
  }

  private static func line(_ way: PersonTrack) -> String {
    let places = way.line.map { fix in
      JSON.array([
        .number(Degrees.text(fix.position.longitudeE7)),
        .number(Degrees.text(fix.position.latitudeE7)),
      ])
    }
    return JSON.object([
      "type": .string("Feature"),
      "geometry": .object(["type": .string("LineString"), "coordinates": .array(places)]),
      "properties": .object(way.mapProperties),
    ]).text
  }
}
