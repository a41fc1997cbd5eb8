import MusterModel
import Testing

@testable import MusterGeo

@Suite("Positions as text")
struct CoordinateTextTests {
  struct Known: Sendable {
    let latitude: Double
    let longitude: Double
    let zone: Int
    let easting: Double
    let northing: Double
    let mgrs: String
  }

  /// UTM by PROJ 9 (pyproj), MGRS by GeoTrans (the Python package mgrs).
  static let known = [
    Known(47.3769, 8.5417, 32, 465403.2845, 5247150.8394, "32T MT 65403 47150"),
    Known(-33.8568, 151.2153, 56, 334900.5697, 6252288.7529, "56H LH 34900 52288"),
    Known(60.39299, 5.32415, 32, 297477.3070, 6700830.0632, "32V KN 97477 00830"),
    Known(78.2232, 15.6267, 33, 514278.7151, 8683355.4695, "33X WG 14278 83355"),
    Known(0.0, 0.0, 31, 166021.4431, 0.0000, "31N AA 66021 00000"),
    Known(-0.0001, -0.0001, 30, 833967.4140, 9999988.9317, "30M ZE 33967 99988"),
    Known(-79.5, -179.9, 1, 441025.3574, 1172753.1372, "1C DM 41025 72753"),
    Known(83.9, 179.9, 60, 534390.8313, 9317795.7533, "60X WU 34390 17795"),
    Known(46.05, -14.5, 28, 538681.2516, 5099724.3725, "28T ER 38681 99724"),
    Known(71.99, 24.0, 35, 396511.4135, 7990394.3642, "35W LV 96511 90394"),
    Known(38.8977, -77.0365, 18, 323394.2964, 4307395.6338, "18S UJ 23394 07395"),
    Known(-54.8019, -68.303, 19, 544805.0975, 3927029.8847, "19F EV 44805 27029"),
  ]

  private static func isNear(_ left: Coordinate, _ right: Coordinate, metres: Double) -> Bool {
    Geodesic.distanceMetres(from: left, to: right) <= metres
  }

  @Test("the grid agrees with PROJ and GeoTrans", arguments: known)
  func grid(known: Known) throws {
    let position = try #require(
      Coordinate(latitude: known.latitude, longitude: known.longitude))
    let grid = try #require(GridPosition(position))
    #expect(grid.zone == known.zone)
    #expect(abs(grid.easting - known.easting) < 0.001)
    #expect(abs(grid.northing - known.northing) < 0.001)
    #expect(CoordinateText.text(position, as: .mgrs) == known.mgrs)
  }

  @Test("what is written is read again, in every format", arguments: known)
  func roundTrip(known: Known) throws {
    let position = try #require(
      Coordinate(latitude: known.latitude, longitude: known.longitude))
    for format in CoordinateFormat.allCases {
      let text = CoordinateText.text(position, as: format)
      let found = try CoordinateText.position(in: text)
      #expect(Self.isNear(found, position, metres: 3), "\(text)")
      let lower = text.lowercased().filter { format == .mgrs ? $0 != " " : true }
      #expect(try CoordinateText.position(in: lower) == found, "\(lower)")
    }
  }

  @Test(
    "positions as people write them",
    arguments: [
      "47.3769,8.5417", "47.3769 8.5417", "47.3769N 8.5417E", "47.3769° N, 8.5417° E",
      "N47.3769 E8.5417", "47°22'36.84\"N 8°32'30.12\"E", "47 22 36.84 N 8 32 30.12 E",
      "8°32′30.12″E 47°22′36.84″N", "N 47° 22.614' E 008° 32.502'",
      "32T 465403 5247151", "32t 465403mE 5247151mN", "32 north 465403 5247151",
      "32TMT6540347150", "32T MT 6540 4715", "32T MT 654 471",
    ])
  func forms(text: String) throws {
    let place = try #require(Coordinate(latitude: 47.3769, longitude: 8.5417))
    #expect(try Self.isNear(CoordinateText.position(in: text), place, metres: 80), "\(text)")
  }

  @Test(
    "positions as people paste them",
    arguments: [
      "-33.8688, 151.2093", " -33.8688,151.2093", "\u{2212}33.8688, 151.2093",
      "(-33.8688, 151.2093)",
      "\u{2013}33.8688 151.2093", "-33.8688\u{A0}151.2093", "-33.8688\t151.2093",
      "-33.8688°, 151.2093°", "-33.8688° 151.2093°", "-33.8688 °, 151.2093 °",
      "-33°52'7.68\", 151°12'33.48\"", "-33° 52.128', +151° 12.558'",
      "33.8688° S 151.2093° E", "33°52′7,68″S 151°12′33,48″E", "S 33,8688° E 151,2093°",
      "-33,8688 151,2093", "-33,8688; 151,2093", "-33,8688, 151,2093", "-33,8688°, 151,2093°",
      "\u{FEFF}-33.8688, 151.2093", "-33.8688, 151.2093\n",
      "geo:-33.8688,151.2093", "geo:-33.8688,151.2093,40;u=35", "GEO:-33.8688,151.2093?z=15",
      "geo:0,0?q=-33.8688,151.2093(Hut)", "geo:0,0?q=-33.8688%2C151.2093",
      "https://www.google.com/maps/@-33.8688,151.2093,15z",
      "https://www.google.com/maps/place/Hut/@-33.9,151.3,17z/data=!8m2!3d-33.8688!4d151.2093",
      "https://www.google.com/maps/search/?api=1&query=-33.8688%2C151.2093",
      "https://www.google.com/maps/search/-33.8688,+151.2093?entry=tts",
      "https://maps.google.com/?q=-33.8688,151.2093",
      "http://maps.google.com/maps?q=loc:-33.8688,151.2093",
      "https://www.google.com/maps/place/33%C2%B052'S+151%C2%B012'E/@-33.8688,151.2093,17z",
      "https://www.openstreetmap.org/?mlat=-33.8688&mlon=151.2093#map=15/-33.9/151.3",
      "https://www.openstreetmap.org/#map=15/-33.8688/151.2093&layers=N",
      "https://www.openstreetmap.org/node/17#map=15/-33.8688/151.2093",
      "https://maps.apple.com/?ll=-33.8688,151.2093&q=Hut%20one",
      "https://maps.apple.com/place?coordinate=-33.8688,151.2093&name=Hut",
      "https://osmand.net/map?pin=-33.8688,151.2093#15/-33.9/151.3",
      "https://www.bing.com/maps?cp=-33.8688~151.2093&lvl=15",
      "https://waze.com/ul?ll=-33.8688%2C151.2093&navigate=yes",
    ])
  func pasted(text: String) throws {
    let place = try #require(Coordinate(latitude: -33.8688, longitude: 151.2093))
    #expect(try Self.isNear(CoordinateText.position(in: text), place, metres: 2), "\(text)")
  }

  @Test(
    "a link or a mark without a position is rejected",
    arguments: [
      "https://maps.app.goo.gl/AbCdEf", "https://osm.org/go/0EEQjE", "geo:0,0?q=Main+Street",
      "geo:hut", "https://maps.google.com/?q=91,0", "https://example.org/a@b,c", "https://%", "47°",
      "47° 8° 9°", "°,°", "-33°52', -151", "47,3 8", "46,5,7,5", "--33°, 151°",
    ])
  func placeless(text: String) {
    #expect(throws: CoordinateFault.self) { try CoordinateText.position(in: text) }
  }

  @Test(
    "what is no position is rejected with a reason",
    arguments: [
      "", "47", "47,8,9", "ridge", "91,0", "0,181", "47N", "47N 8N", "47°61'N 8°E", "22'N 8°E",
      "47.5°22'N 8°E", "-47N 8E", "32T MT 123", "32T MT", "61T MT 65403 47150",
      "32I MT 65403 47150", "32T ZZ 65403 47150", "32N 465403 5247151", "32T 465403 1000",
      "32T 99999 5247151", "1e1,8", "nan,8", String(repeating: "4", count: 200),
    ])
  func faults(text: String) {
    #expect {
      try CoordinateText.position(in: text)
    } throws: { ($0 as? CoordinateFault)?.description.count ?? 0 > 20 }
  }

  @Test("beyond the grid, positions are decimal")
  func poles() throws {
    let pole = try #require(Coordinate(latitude: 90, longitude: 180))
    for format in [CoordinateFormat.utm, .mgrs] {
      #expect(CoordinateText.text(pole, as: format) == "90.00000,180.00000")
    }
    let edge = try #require(Coordinate(latitude: 10, longitude: 180))
    #expect(GridPosition(edge)?.zone == 1)
  }
}

extension CoordinateTextTests.Known {
  fileprivate init(
    _ latitude: Double, _ longitude: Double, _ zone: Int, _ easting: Double, _ northing: Double,
    _ mgrs: String
  ) {
    self.init(
      latitude: latitude, longitude: longitude, zone: zone, easting: easting,
      northing: northing, mgrs: mgrs)
  }
}
