internal import MusterGeo
internal import MusterModel

/// The meaning of the numbers in a file of shapes. Only systems that are within two metres of WGS
/// 84 are known: a conversion between others needs tables that a laptop does not have.
public struct ReferenceSystem: Hashable, Sendable {
  private enum Kind: Hashable {
    /// Longitude and latitude in degrees.
    case degrees
    case webMercator
    case utm(zone: Int, isNorth: Bool)
  }

  /// Longitude and latitude in degrees on WGS 84.
  public static let degrees = ReferenceSystem(kind: .degrees)
  /// What a file in another system needs.
  public static let remedy = "convert it with `ogr2ogr -t_srs EPSG:4326`, or export it as WGS 84"

  private static let datums: Set = [
    "WGS1984", "WORLDGEODETICSYSTEM1984", "ETRS1989", "EUROPEANTERRESTRIALREFERENCESYSTEM1989",
    "NORTHAMERICAN1983", "NORTHAMERICANDATUM1983", "GDA1994", "GDA2020",
    "GEOCENTRICDATUMOFAUSTRALIA1994", "GEOCENTRICDATUMOFAUSTRALIA2020", "NZGD2000",
    "NEWZEALANDGEODETICDATUM2000", "SIRGAS2000",
    "SISTEMADEREFERENCIAGEOCENTRICOPARALASAMERICAS2000",
  ]

  private let kind: Kind

  private init(kind: Kind) { self.kind = kind }

  /// Returns nil for a code of EPSG that is not known.
  public init?(epsg code: Int) {
    switch code {
    case 4326, 4258, 4269, 4979: kind = .degrees
    case 3857, 900_913: kind = .webMercator
    case 32_601...32_660: kind = .utm(zone: code - 32_600, isNorth: true)
    case 32_701...32_760: kind = .utm(zone: code - 32_700, isNorth: false)
    case 25_828...25_838: kind = .utm(zone: code - 25_800, isNorth: true)
    case 26_901...26_923: kind = .utm(zone: code - 26_900, isNorth: true)
    default: return nil
    }
  }

  /// Parses well-known text (OGC 01-009), as in a file `.prj`; nil for a system that is not known.
  public init?(wellKnownText text: String) {
    // A part of it names the system of a system.
    let text = String(text.prefix(8192))
    func name(of key: String) -> String? {
      guard let start = text.range(of: "\(key)[\"")?.upperBound,
        let end = text[start...].firstIndex(of: "\"")
      else { return nil }
      return Self.letters(text[start..<end])
    }
    guard let datum = name(of: "DATUM"),
      Self.datums.contains(datum)
        || datum.hasPrefix("D") && Self.datums.contains(String(datum.dropFirst())),
      (name(of: "PRIMEM") ?? "GREENWICH") == "GREENWICH"
    else { return nil }
    guard let projection = name(of: "PROJCS") else {
      guard name(of: "GEOGCS") != nil, name(of: "UNIT")?.hasPrefix("DEGREE") == true else {
        return nil
      }
      kind = .degrees
      return
    }
    if projection.contains("PSEUDOMERCATOR") || projection.contains("WEBMERCATORAUXILIARYSPHERE") {
      kind = .webMercator
    } else if let match = projection.firstMatch(of: /UTMZONE([0-9]{1,2})([NS])$/),
      let zone = Int(match.1), !text.uppercased().contains("FOOT")
    {
      kind = .utm(zone: zone, isNorth: match.2 == "N")
    } else {
      return nil
    }
  }

  /// Returns the letters and digits, in upper case: programs differ in what is between them.
  private static func letters(_ text: some StringProtocol) -> String {
    text.uppercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Returns a position; nil for numbers that are none.
  func place(x: Double, y: Double) -> Coordinate? {
    switch kind {
    case .degrees: OverlayShapes.place(latitude: y, longitude: x)
    case .webMercator: ProjectedPosition.webMercator(x: x, y: y)
    case .utm(let zone, let isNorth):
      ProjectedPosition.utm(zone: zone, isNorth: isNorth, easting: x, northing: y)
    }
  }
}
