internal import MusterModel

extension OperationExport {
  /// Returns GPX 1.1: people and reports as waypoints, tracks as tracks. GPX cannot represent
  /// fences.
  public func gpx() -> String {
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<gpx version=\"1.1\" creator=\"muster\" xmlns=\"http://www.topografix.com/GPX/1/1\">",
      "<metadata><name>\(Markup.escaped(name))</name></metadata>",
    ]
    for report in reports {
      guard let place = report.position else { continue }
      lines.append(
        Self.point(
          "wpt", place, time: report.createdAt, name: report.title,
          descriptions: [
            report.details, report.status.name,
            report.authorship.through == nil ? "" : "by \(report.authorship.text)",
          ], type: report.category.name))
    }
    for user in users {
      guard let fix = user.fix else { continue }
      lines.append(
        Self.point(
          "wpt", fix.position, time: fix.sampleTime, name: user.callsign,
          descriptions: [user.safety.rawValue, user.reason], type: "person"))
    }
    for track in tracks {
      lines.append("<trk><name>\(Markup.escaped(track.callsign))</name><trkseg>")
      for fix in track.fixes {
        lines.append(Self.point("trkpt", fix.position, time: fix.sampleTime))
      }
      lines.append("</trkseg></trk>")
    }
    lines.append("</gpx>")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func point(
    _ element: String, _ place: Coordinate, time: Timestamp, name: String? = nil,
    descriptions: [String] = [], type: String? = nil
  ) -> String {
    let described = descriptions.filter { !$0.isEmpty }.joined(separator: "; ")
    // In the order of the schema.
    return "<\(element) lat=\"\(Degrees.text(place.latitudeE7))\" "
      + "lon=\"\(longitude(place))\"><time>\(time)</time>"
      + (name.map { "<name>\(Markup.escaped($0))</name>" } ?? "")
      + (described.isEmpty ? "" : "<desc>\(Markup.escaped(described))</desc>")
      + (type.map { "<type>\(Markup.escaped($0))</type>" } ?? "") + "</\(element)>"
  }

  /// Returns the longitude in degrees. The schema of GPX excludes 180, which is the meridian -180.
  private static func longitude(_ place: Coordinate) -> String {
    place.longitudeE7 == 1_800_000_000 ? "-180" : Degrees.text(place.longitudeE7)
  }
}
