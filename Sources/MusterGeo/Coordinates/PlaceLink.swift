internal import MusterModel

/// A position in a link of a map site (Google Maps, OpenStreetMap, Apple Maps and others), or in a
/// `geo:` URI (RFC 5870).
///
/// A link may have several positions: that of the marked place is read before that of the view.
struct PlaceLink {
  private let text: String
  private let isGeoURI: Bool

  /// The maximum length of a link in bytes.
  static let longestBytes = 4096

  /// Nil if the text is no link.
  init?(_ text: String) {
    let lower = text.prefix(8).lowercased()
    isGeoURI = lower.hasPrefix("geo:")
    guard isGeoURI || lower.hasPrefix("https://") || lower.hasPrefix("http://") else { return nil }
    self.text = String(decoding: PercentEncoding.decoded(text.utf8), as: UTF8.self)
  }

  /// Throws if the link contains no position.
  func position() throws(CoordinateFault) -> Coordinate {
    if let found = isGeoURI ? geoURI : marked ?? named ?? inPath ?? view { return found }
    throw CoordinateFault(
      isGeoURI
        ? "write a geo: URI as geo:47.3769,8.5417"
        : "this link contains no position: open it, and copy the latitude and longitude")
  }

  /// `geo:46.5,7.5;u=35`, or on Android `geo:0,0?q=46.5,7.5(Hut)`.
  private var geoURI: Coordinate? {
    if let named { return named }
    let found = Self.pair(text.dropFirst("geo:".count))
    // 0,0 with an address: the app that is called looks the address up.
    return found == Coordinate(latitudeE7: 0, longitudeE7: 0) && value(of: "q") != nil ? nil : found
  }

  /// `!3d46.5!4d7.5` of Google Maps, and `mlat=46.5&mlon=7.5` of OpenStreetMap.
  private var marked: Coordinate? {
    let parts = text.split(separator: "!")
    if let index = parts.lastIndex(where: { $0.hasPrefix("3d") }), index + 1 < parts.count,
      parts[index + 1].hasPrefix("4d")
    {
      return Self.pair(parts[index].dropFirst(2) + "," + parts[index + 1].dropFirst(2))
    }
    return place("mlat", "mlon")
  }

  private static let names = [
    "q", "query", "coordinate", "destination", "daddr", "pin", "ll", "viewpoint", "center", "sll",
    "cp",
  ]

  private var named: Coordinate? {
    for name in Self.names {
      guard let value = value(of: name) else { continue }
      if let found = Self.pair(value.hasPrefix("loc:") ? value.dropFirst(4) : value) {
        return found
      }
    }
    return place("lat", "lon") ?? place("lat", "lng")
  }

  /// `/maps/place/46.5,7.5`.
  private var inPath: Coordinate? {
    let path = text.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").lazy.compactMap(Self.pair).first
  }

  /// The middle of the map: `@46.5,7.5,15z`, and `#map=15/46.5/7.5`.
  private var view: Coordinate? {
    if let mark = text.firstIndex(of: "@") { return Self.pair(text[mark...].dropFirst()) }
    guard let mark = text.lastIndex(of: "#") else { return nil }
    let parts = text[mark...].dropFirst().prefix { $0 != "&" }.split(separator: "/")
    return parts.count >= 3 ? Self.pair(parts[1] + "," + parts[2]) : nil
  }

  private func place(_ latitude: String, _ longitude: String) -> Coordinate? {
    guard let latitude = value(of: latitude), let longitude = value(of: longitude) else {
      return nil
    }
    return Self.pair(latitude + "," + longitude)
  }

  private func value(of name: String) -> Substring? {
    let members = text.split { "?&#".contains($0) }.dropFirst()
    return members.first { $0.hasPrefix(name + "=") }?.dropFirst(name.utf8.count + 1)
  }

  /// Reads two numbers, whatever follows them after a separator.
  private static func pair(_ text: some StringProtocol) -> Coordinate? {
    let parts = String(text)
      .split(maxSplits: 2, omittingEmptySubsequences: false) { ",~".contains($0) }
      .map { part in part.drop { " +".contains($0) } }
    guard parts.count >= 2 else { return nil }
    let number = parts[1].prefix { "-0123456789.".contains($0) }
    guard parts[0].allSatisfy({ "-0123456789.".contains($0) }),
      parts[1].dropFirst(number.count).first.map({ " (;/?".contains($0) }) ?? true,
      let latitude = Double(parts[0]), let longitude = Double(number)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}
