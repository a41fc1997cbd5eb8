internal import MusterModel

extension OperationExport {
  /// Returns KML 2.2 (OGC 07-147r2): a folder each for people, reports, zones and tracks. Rows
  /// without a position are omitted. A circle is a polygon, and a track a line with the time of its
  /// first and last fix.
  ///
  /// - Parameter photos: photos that stand in the folder `photos` beside the document, as in a KMZ
  ///   archive: reports show them.
  public func kml(with photos: [ExportedPhoto] = []) -> String {
    let photos = Dictionary(grouping: photos, by: \.report)
    let folders = [
      Self.folder("Zones", fences.map(Self.placemark)),
      Self.folder("Tracks", tracks.map(Self.placemark)),
      Self.folder("Reports", reports.compactMap { Self.placemark(of: $0, photos[$0.id] ?? []) }),
      Self.folder("People", users.compactMap { Self.placemark(of: $0) }),
    ]
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2">
      <Document>
      <name>\(Markup.escaped(name))</name>
      \((KMLStyle.all.map(\.element) + folders).joined(separator: "\n"))
      </Document>
      </kml>

      """
  }

  private static func folder(_ name: String, _ placemarks: [String]) -> String {
    (["<Folder><name>\(name)</name>"] + placemarks + ["</Folder>"]).joined(separator: "\n")
  }

  /// The folder of photos in a KMZ archive.
  public static let photoFolder = "photos"

  // MARK: Placemarks

  private static func placemark(of user: UserSummary) -> String? {
    user.fix.map { fix in
      placemark(
        user.callsign, [user.status.label, user.reason], style: user.severity.rawValue,
        time: "<TimeStamp><when>\(fix.sampleTime)</when></TimeStamp>", user.mapProperties,
        point(fix.position))
    }
  }

  private static func placemark(
    of report: ReportSummary, _ photos: [ExportedPhoto]
  ) -> String? {
    report.position.map { place in
      placemark(
        report.title, [report.category.name, report.details, report.status.name],
        photos: photos.map { #"<img src="\#(photoFolder)/\#($0.fileName)" width="480"/>"# },
        style: report.status == .resolved ? "resolved" : report.toEvacuate ? "evacuate" : "open",
        time: "<TimeStamp><when>\(report.createdAt)</when></TimeStamp>", report.mapProperties,
        point(place))
    }
  }

  private static func placemark(of fence: FenceSummary) -> String {
    let outline =
      switch fence.geometry.withCircleAsPolygons {
      case .circle(let center, _): point(center)
      case .polygons(let polygons) where polygons.count == 1: polygon(polygons[0])
      case .polygons(let polygons):
        "<MultiGeometry>\(polygons.map(polygon).joined())</MultiGeometry>"
      }
    return placemark(
      fence.name, [fence.kind.name, fence.isActive ? "" : "inactive"],
      style: fence.isActive ? fence.kind.name : "inactive", time: "", fence.mapProperties, outline)
  }

  private static func placemark(of track: PersonTrack) -> String {
    let (begin, end) = (track.fixes.first?.sampleTime, track.fixes.last?.sampleTime)
    let time =
      (begin.map { "<begin>\($0)</begin>" } ?? "") + (end.map { "<end>\($0)</end>" } ?? "")
    let lines = Antimeridian.parts(ofLine: track.line.map(\.position)).map {
      "<LineString><tessellate>1</tessellate>\(coordinates($0))</LineString>"
    }
    return placemark(
      track.callsign, [], style: "track", time: "<TimeSpan>\(time)</TimeSpan>", track.mapProperties,
      lines.count == 1 ? lines[0] : "<MultiGeometry>\(lines.joined())</MultiGeometry>")
  }

  /// Returns a placemark with its parts in the order of the schema.
  private static func placemark(
    _ name: String, _ descriptions: [String], photos: [String] = [], style: String, time: String,
    _ properties: [String: JSON], _ geometry: String
  ) -> String {
    let text = descriptions.filter { !$0.isEmpty }.joined(separator: "; ")
    // With pictures, viewers read the description as HTML.
    let description =
      photos.isEmpty ? text : ([Markup.escaped(text)] + photos).joined(separator: "<br/>")
    return "<Placemark><name>\(Markup.escaped(name))</name>"
      + (description.isEmpty ? "" : "<description>\(Markup.escaped(description))</description>")
      + "\(time)<styleUrl>#\(style)</styleUrl>\(extendedData(properties))\(geometry)</Placemark>"
  }

  /// Returns the properties by name, without empty ones and those that the placemark itself has.
  private static func extendedData(_ properties: [String: JSON]) -> String {
    let data = properties.sorted { $0.key < $1.key }.compactMap { key, value -> String? in
      let text = value.word ?? (value == .null ? "" : value.text)
      guard !text.isEmpty, !["name", "description"].contains(key) else { return nil }
      return "<Data name=\"\(Markup.escaped(key))\"><value>\(Markup.escaped(text))</value></Data>"
    }
    return "<ExtendedData>\(data.joined())</ExtendedData>"
  }

  // MARK: Geometry

  private static func point(_ place: Coordinate) -> String {
    "<Point>\(coordinates([place]))</Point>"
  }

  private static func polygon(_ polygon: FencePolygon) -> String {
    "<Polygon><outerBoundaryIs>\(ring(polygon.outer))</outerBoundaryIs>"
      + polygon.holes.map { "<innerBoundaryIs>\(ring($0))</innerBoundaryIs>" }.joined()
      + "</Polygon>"
  }

  /// Returns a closed ring.
  private static func ring(_ ring: Ring) -> String {
    "<LinearRing>\(coordinates(ring.vertices + ring.vertices.prefix(1)))</LinearRing>"
  }

  private static func coordinates(_ places: [Coordinate]) -> String {
    let texts = places.map { "\(Degrees.text($0.longitudeE7)),\(Degrees.text($0.latitudeE7))" }
    return "<coordinates>\(texts.joined(separator: " "))</coordinates>"
  }
}

/// A style that placemarks share, by its id.
private struct KMLStyle {
  let id: String
  /// Red, green and blue in hexadecimal digits. KML has the opposite order, after the opacity.
  let colour: String
  /// Whether the style is that of outlines and lines; otherwise that of points.
  var isLine = false

  var element: String {
    let parts = [colour.suffix(2), colour.dropFirst(2).prefix(2), colour.prefix(2)].joined()
    // A zone at a pole is a point.
    let icon = "<IconStyle><color>ff\(parts)</color></IconStyle>"
    let line =
      "<LineStyle><color>ff\(parts)</color><width>3</width></LineStyle>"
      + "<PolyStyle><color>40\(parts)</color></PolyStyle>"
    return "<Style id=\"\(id)\">\(icon)\(isLine ? line : "")</Style>"
  }

  static let all =
    [
      KMLStyle(id: Severity.danger.rawValue, colour: "b3121d"),
      KMLStyle(id: Severity.warning.rawValue, colour: "f2a900"),
      KMLStyle(id: Severity.neutral.rawValue, colour: "808b94"),
      KMLStyle(id: Severity.safe.rawValue, colour: "0b6b3a"),
      KMLStyle(id: "evacuate", colour: "8a1290"), KMLStyle(id: "open", colour: "d97400"),
      KMLStyle(id: "resolved", colour: "808b94"),
    ]
    + [
      KMLStyle(id: FenceKind.muster.name, colour: "0b6b3a", isLine: true),
      KMLStyle(id: FenceKind.hazard.name, colour: "b3121d", isLine: true),
      KMLStyle(id: FenceKind.info.name, colour: "0a5aa8", isLine: true),
      KMLStyle(id: "inactive", colour: "808b94", isLine: true),
      KMLStyle(id: "track", colour: "0a5aa8", isLine: true),
    ]
}
