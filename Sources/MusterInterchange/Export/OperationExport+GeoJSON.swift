internal import MusterModel

extension OperationExport {
  /// Returns one FeatureCollection of people, reports, fences and tracks; the property `muster` of
  /// a feature names its type. Rows without a position are omitted.
  public func geoJSON() -> String {
    let features =
      fences.map(GeoJSON.feature) + reports.compactMap { GeoJSON.feature(of: $0) }
      + users.compactMap { GeoJSON.feature(of: $0) } + tracks.map { GeoJSON.feature(of: $0) }
    return "{\"type\":\"FeatureCollection\",\"features\":[\n"
      + features.joined(separator: ",\n") + "\n]}\n"
  }
}
