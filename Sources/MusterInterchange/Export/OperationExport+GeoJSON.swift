internal import MusterModel

extension OperationExport {
  /// Returns one FeatureCollection of people, reports, fences and tracks; the property `muster` of
  /// a feature names its type. Rows without a position are omitted.
  public func geoJSON() -> String {
    var features: [String] = []
    for fence in fences {
      features.append(
        GeoJSON.feature(
          of: ExportedFence(
            id: "\(fence.id)", name: fence.name, kind: fence.kind.name, isActive: fence.isActive,
            properties: fence.properties.isEmpty ? nil : fence.properties,
            geometry: fence.geometry)))
    }
    for report in reports {
      guard let place = report.position else { continue }
      features.append(
        GeoJSON.point(place, id: "\(report.id)", properties: report.json.labelled("report")))
    }
    for user in users {
      guard let fix = user.fix else { continue }
      features.append(
        GeoJSON.point(fix.position, id: "\(user.id)", properties: user.json.labelled("user")))
    }
    features += ways.map(Self.line)
    return "{\"type\":\"FeatureCollection\",\"features\":[\n"
      + features.joined(separator: ",\n") + "\n]}\n"
  }

  /// Returns a track as a line. GeoJSON does not allow a line with one position, so a single fix is
  /// repeated.
  private static func line(_ way: Way) -> String {
    let fixes = way.fixes.count == 1 ? way.fixes + way.fixes : way.fixes
    let places = fixes.map { fix in
      JSON.array([
        .number(Degrees.text(fix.position.longitudeE7)),
        .number(Degrees.text(fix.position.latitudeE7)),
      ])
    }
    return JSON.object([
      "type": .string("Feature"),
      "geometry": .object(["type": .string("LineString"), "coordinates": .array(places)]),
      "properties": .object([
        "muster": .string("track"), "callsign": .string(way.callsign),
        "times": .array(fixes.map { .time($0.sampleTime) }),
      ]),
    ]).text
  }
}

extension JSON {
  fileprivate func labelled(_ kind: String) -> JSON { adding(["muster": .string(kind)]) }
}
