import Foundation
import MusterInterchange
import MusterModel
import MusterTestKit
import Testing

@testable import MusterGeo

/// Our geometry agrees with shapely and pyproj about random polygons, circles and the countries.
/// `MUSTER_VOLUME=1000` for 1,000 polygons, 100,000 points in them and 100,000 in the countries.
@Suite struct OracleTests {
  private static let volume = Volume.orUsual(40)

  @Test(
    .enabled(
      if: try Python.has("numpy", "pyproj", "shapely"),
      "needs python3 with numpy, pyproj and shapely"))
  func `Containment and distances agree with shapely and pyproj`() throws {
    let scratch = try TemporaryFolder()
    let folder = scratch.url
    try Self.fill(folder, seed: 11)
    let file = try GeoJSON.read(Data(contentsOf: folder.appending(path: "fences.geojson")))
    #expect(file.fault == nil, "what shapely holds valid we do")
    let fences = Dictionary(
      uniqueKeysWithValues: file.fences.map { ($0.name ?? "", PreparedFence($0.geometry)) })
    try Self.checkPoints(in: folder, fences)
    try Self.checkCircles(in: folder)
    try Self.checkDistances(in: folder, fences)
  }

  private static func checkPoints(in folder: URL, _ fences: [String: PreparedFence]) throws {
    var (inside, outside, close) = (0, 0, 0)
    let names = fences.keys.sorted()
    let index = FenceIndex(
      names.enumerated().compactMap { number, name in
        fences[name].map {
          FenceUnderWatch(
            id: RowID(raw: Bytes16(high: 0, low: UInt64(number))),
            version: FenceVersion(raw: .zero), isActive: true, fence: $0, mode: .careful,
            dwellSeconds: 0)
        }
      })
    for row in try rows(of: "points.csv", in: folder) {
      let fence = try #require(fences[row[0]])
      let isFar = try #require(Double(row[4])) > 1e-7
      let point = try place(row[1], row[2])
      let holds = fence.contains(point)
      let found = index.positions(containing: point).map { names[Int(index.ids[$0].raw.low)] }
      #expect(found.contains(row[0]) == holds, "alone and among all: \(row)")
      // Closer than 1e-7 degree shapely rounds, and Muster does not.
      if !isFar { close += 1 } else if holds { inside += 1 } else { outside += 1 }
      #expect(!isFar || holds == (row[3] == "1"), "fence, longitude, latitude, inside: \(row)")
    }
    print("points: \(inside) inside, \(outside) outside, \(close) within 1e-7 degree of an edge")
    #expect(inside > volume && outside > volume)
  }

  private static func checkCircles(in folder: URL) throws {
    for row in try rows(of: "circles.csv", in: folder) {
      let radius = try #require(UInt32(row[2]))
      let circle = FenceGeometry.circle(
        center: try place(row[0], row[1]), radiusCentimetres: radius)
      let point = try place(row[3], row[4])
      let beyond = try #require(Double(row[5])) - Double(radius) / 100
      if abs(beyond) > 1e-6 { #expect(circle.contains(point) == (beyond < 0), "\(row)") }
      #expect(abs(circle.distanceToEdgeMetres(from: point) - abs(beyond)) < 1e-6, "\(row)")
    }
  }

  private static func checkDistances(
    in folder: URL, _ fences: [String: PreparedFence]
  ) throws {
    for row in try rows(of: "distances.csv", in: folder) {
      let fence = try #require(fences[row[0]]).geometry
      let point = try place(row[1], row[2])
      let metres = try #require(Double(row[3]))
      let found = fence.distanceToEdgeMetres(from: point)
      // Never too small; too large by at most the error of the tangent plane.
      let tangent = 2 + abs(tan(point.latitude * .pi / 180))
      let most = 0.001 + metres * (metres / 6_400_000 * tangent)
      #expect(found > metres - 0.001 && found < metres + most, "\(found), not \(row)")
    }
  }

  // MARK: Running the oracle

  /// Writes random geometry and the oracle's results into a folder.
  private static func fill(_ folder: URL, seed: Int) throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let countries = tests.appending(path: "../../shared/data/countries-110m.geojson")
      .standardizedFileURL.path
    let script = tests.appending(path: "Oracle/geometry.py").path
    var words = [script, folder.path, "\(seed)", "\(volume)", "\(volume * 100)"]
    if FileManager.default.fileExists(atPath: countries) { words.append(countries) }
    #expect(try Python.runBriefly(words).status == 0)
  }

  private static func rows(of name: String, in folder: URL) throws -> [[String]] {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
  }

  private static func place(_ longitude: String, _ latitude: String) throws -> Coordinate {
    let (x, y) = (try #require(Int64(longitude)), try #require(Int64(latitude)))
    return try #require(Coordinate(latitudeE7: y, longitudeE7: x))
  }
}
