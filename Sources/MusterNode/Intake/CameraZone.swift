internal import Foundation
internal import MusterGeo
public import MusterModel

/// The time zone of a camera that recorded local time without its offset: that of the place where
/// the picture was taken, else that of this computer. The offset is always that of the picture's
/// own day.
public struct CameraZone: Sendable {
  private let own: TimeZone
  private let places: [ZonePlace]

  /// The zone of this computer now, and the places of the system's time zone data.
  public static var current: CameraZone {
    CameraZone(own: .current, places: ZonePlace.installed)
  }

  /// - Parameters:
  ///   - own: the zone of this computer.
  ///   - places: those of all zones; none if they are not known.
  init(own: TimeZone, places: [ZonePlace]) { (self.own, self.places) = (own, places) }

  /// Returns the moment of a local time.
  ///
  /// - Parameters:
  ///   - local: what the clock of the camera showed, as if it were UTC.
  ///   - place: where the picture was taken, if that is known.
  func moment(ofLocal local: Timestamp, at place: Coordinate?) -> Timestamp {
    let zone = place.map { self.zone(near: $0, local) } ?? own
    // The offset changes by the moment, which is not known yet: the second round settles it.
    let near = local.milliseconds - Self.offset(of: zone, at: local.milliseconds)
    return Timestamp(milliseconds: local.milliseconds - Self.offset(of: zone, at: near))
  }

  /// The zone whose city is nearest. The zone of this computer is preferred where its city is not
  /// much farther away, since zones meet between their cities. Without data about cities, the zone
  /// of this computer if the sun is about as it states, else that of the sun.
  private func zone(near place: Coordinate, _ local: Timestamp) -> TimeZone {
    let distances = places.map { Geodesic.distanceMetres(from: place, to: $0.city) }
    guard let least = distances.indices.min(by: { distances[$0] < distances[$1] }) else {
      let sun = place.longitude / 15
      let stated = Double(Self.offset(of: own, at: local.milliseconds)) / 3_600_000
      return abs(stated - sun) <= Self.mostHoursFromSun
        ? own : TimeZone(secondsFromGMT: Int(sun.rounded()) * 3600) ?? own
    }
    let ownIndex = places.firstIndex { $0.zone == own.identifier }
    if let ownIndex, distances[ownIndex] <= distances[least] * Self.preference { return own }
    return TimeZone(identifier: places[least].zone) ?? own
  }

  private static let preference = 1.5
  /// Of zones that are wide, in summer.
  private static let mostHoursFromSun = 2.5

  /// In milliseconds, east of UTC.
  private static func offset(of zone: TimeZone, at milliseconds: Int64) -> Int64 {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return Int64(zone.secondsFromGMT(for: date)) * 1000
  }
}

/// The city that a time zone is named after.
struct ZonePlace: Hashable, Sendable {
  /// Such as `Europe/Lisbon`.
  let zone: String
  let city: Coordinate

  /// Those of the system's time zone data; none if it has none.
  static let installed: [ZonePlace] = {
    do {
      return read(try String(contentsOfFile: "/usr/share/zoneinfo/zone.tab", encoding: .utf8))
    } catch {
      return []
    }
  }()

  /// Reads `zone.tab`: lines of country, ISO 6709 position and zone, divided by tabs. Skips others.
  static func read(_ table: String) -> [ZonePlace] {
    table.split(whereSeparator: \.isNewline).compactMap { line in
      let fields = line.split(separator: "\t")
      guard fields.count >= 3, !line.hasPrefix("#"), let city = position(fields[1]) else {
        return nil
      }
      return ZonePlace(zone: String(fields[2]), city: city)
    }
  }

  /// Reads `±DDMM±DDDMM`, perhaps with seconds in both.
  private static func position(_ text: Substring) -> Coordinate? {
    guard let middle = text.dropFirst().firstIndex(where: { "+-".contains($0) }),
      let latitude = angle(text[..<middle], digits: 2),
      let longitude = angle(text[middle...], digits: 3)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// - Parameter digits: of the degrees.
  private static func angle(_ text: Substring, digits: Int) -> Double? {
    let rest = text.dropFirst()
    let (minutes, seconds) = (rest.dropFirst(digits).prefix(2), rest.dropFirst(digits + 2))
    guard let whole = Double(rest.prefix(digits)), let minutes = Double(minutes) else { return nil }
    let magnitude = whole + minutes / 60 + (Double(seconds) ?? 0) / 3600
    return text.hasPrefix("-") ? -magnitude : magnitude
  }
}
