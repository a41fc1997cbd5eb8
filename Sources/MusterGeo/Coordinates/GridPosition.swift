internal import MusterModel

/// A position in the Universal Transverse Mercator grid, from 80° S to 84° N, and its names: UTM
/// with a band letter (`32T 465396 5247042`), and MGRS (`32T MT 65396 47042`).
///
/// Source: NGA.STND.0037, *Universal Grids and Grid Reference Systems*.
struct GridPosition {
  /// 1 to 60.
  let zone: Int
  /// C to X, without I and O: eight degrees of latitude each, the last one twelve.
  let band: Character
  /// Metres; the central meridian is at 500,000.
  let easting: Double
  /// Metres from the equator, or from 10,000 km south of it in the southern hemisphere.
  let northing: Double

  static let bands = Array("CDEFGHJKLMNPQRSTUVWX")
  private static let columns = [Array("ABCDEFGH"), Array("JKLMNPQR"), Array("STUVWXYZ")]
  private static let rows = Array("ABCDEFGHJKLMNPQRSTUV")
  private static let square = 100_000.0
  /// The rows' letters repeat.
  private static let cycle = 2_000_000.0
  private static let falseNorthing = 10_000_000.0

  /// Returns nil beyond 80° S and 84° N, where other grids are used.
  init?(_ position: Coordinate) {
    let (latitude, longitude) = (position.latitude, position.longitude)
    guard (-80...84).contains(latitude) else { return nil }
    zone = Self.zone(latitude, longitude)
    band = Self.bands[min(19, Int(((latitude + 80) / 8).rounded(.down)))]
    // 180° W and 180° E are one meridian, in zone 1.
    let offset = (longitude == 180 ? -180 : longitude) - Self.centralMeridian(of: zone)
    let metres = TransverseMercator.project(latitude: latitude, longitude: offset)
    easting = metres.east + 500_000
    northing = metres.north + (latitude < 0 ? Self.falseNorthing : 0)
  }

  /// Returns the zone of a position, with the exceptions of Norway and Svalbard.
  private static func zone(_ latitude: Double, _ longitude: Double) -> Int {
    switch (latitude, longitude) {
    case (56..<64, 3..<12): 32
    case (72..., 0..<9): 31
    case (72..., 9..<21): 33
    case (72..., 21..<33): 35
    case (72..., 33..<42): 37
    default: longitude == 180 ? 1 : Int(((longitude + 180) / 6).rounded(.down)) + 1
    }
  }

  private static func centralMeridian(of zone: Int) -> Double { Double(zone * 6 - 183) }

  // MARK: Names

  /// Zone, band, easting and northing, in whole metres.
  var utm: String { "\(zone)\(band) \(Int(easting.rounded())) \(Int(northing.rounded()))" }

  /// MGRS to the metre. Digits are cut off, not rounded, as the standard requires.
  var mgrs: String {
    // Less than a millimetre below a line of the grid is on it.
    let (east, north) = (
      Int((easting + 0.0005).rounded(.down)), Int((northing + 0.0005).rounded(.down))
    )
    let column = Self.columns[(zone - 1) % 3][east / 100_000 - 1]
    let row = Self.rows[(north / 100_000 + (zone.isMultiple(of: 2) ? 5 : 0)) % 20]
    return "\(zone)\(band) \(column)\(row) \(Self.digits(east)) \(Self.digits(north))"
  }

  private static func digits(_ metres: Int) -> String {
    let digits = String(metres % 100_000)
    return String(repeating: "0", count: 5 - digits.count) + digits
  }

  // MARK: Positions

  /// Returns the position of UTM coordinates. Nil if it is not in the zone and the band.
  ///
  /// - Parameter band: a band letter.
  static func position(
    zone: Int, band: Character, easting: Double, northing: Double
  ) -> Coordinate? {
    guard let index = bands.firstIndex(of: band) else { return nil }
    return position(
      zone: zone, isNorth: index >= 10, easting: easting, northing: northing,
      in: latitudes(of: index))
  }

  /// Returns the position of UTM coordinates in a hemisphere. Nil if it is not in the zone.
  static func position(
    zone: Int, isNorth: Bool, easting: Double, northing: Double,
    in latitudes: ClosedRange<Double> = -80.5...84.5
  ) -> Coordinate? {
    guard (1...60).contains(zone), (square...9 * square).contains(easting),
      (0...falseNorthing).contains(northing)
    else { return nil }
    let found = TransverseMercator.position(
      east: easting - 500_000, north: northing - (isNorth ? 0 : falseNorthing))
    // The widest zone, 32V, reaches six degrees from its central meridian.
    guard latitudes.contains(found.latitude), abs(found.longitude) <= 6.5 else { return nil }
    var longitude = centralMeridian(of: zone) + found.longitude
    if longitude < -180 { longitude += 360 }
    if longitude > 180 { longitude -= 360 }
    return Coordinate(latitude: found.latitude, longitude: longitude)
  }

  /// Returns the centre of a square of MGRS. Nil if there is no such square.
  ///
  /// - Parameters:
  ///   - letters: the column and the row.
  ///   - digits: an even number of digits, at most ten; none is a square of 100 km.
  static func position(
    zone: Int, band: Character, letters: (column: Character, row: Character), digits: [Int]
  ) -> Coordinate? {
    guard (1...60).contains(zone),
      let column = columns[(zone - 1) % 3].firstIndex(of: letters.column),
      let row = rows.firstIndex(of: letters.row)
    else { return nil }
    let half = digits.count / 2
    var size = square
    var (east, north) = (0.0, 0.0)
    for place in 0..<half {
      size /= 10
      east += Double(digits[place]) * size
      north += Double(digits[half + place]) * size
    }
    let easting = Double(column + 1) * square + east + size / 2
    let row20 = (row + (zone.isMultiple(of: 2) ? 15 : 0)) % 20
    for cycles in 0..<5 {
      let northing = Double(row20) * square + north + size / 2 + Double(cycles) * cycle
      if let found = position(zone: zone, band: band, easting: easting, northing: northing) {
        return found
      }
    }
    return nil
  }

  /// The band, and half a degree on both sides: the centre of a square may be beyond its edge.
  private static func latitudes(of band: Int) -> ClosedRange<Double> {
    let south = Double(band * 8 - 80)
    return south - 0.5...south + (band == 19 ? 12 : 8) + 0.5
  }
}
