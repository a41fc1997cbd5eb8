import Foundation
import MusterGeo
import MusterInterchange
import MusterModel
import MusterTestKit
import Testing

@Suite(.enabled(if: Installed.hasFile(countryOutlines), "needs ../shared/data"))
struct CountryOutlineTests {
  private static func file() throws -> GeoJSONFile {
    try GeoJSON.read(Data(contentsOf: countryOutlines))
  }

  private static func countries() throws -> [ImportedFence] { try file().fences }

  @Test func `All countries are valid fences, except Sudan, whose border crosses itself`() throws {
    let file = try Self.file()
    #expect(file.fences.count == 176)
    #expect(
      file.outcome.leftOut == 1
        && file.fault?.description
          == "feature 14 (Sudan): polygon 0, outer ring, vertex 0: the edge from here crosses the edge "
          + "from polygon 0, outer ring, vertex 78: a ring may not meet itself"
    )
    #expect(file.fences.allSatisfy { $0.name?.isEmpty == false })
    #expect(file.fences.allSatisfy { $0.properties?.hasPrefix(#"{"iso_a3":"#) == true })
    for country in file.fences {
      #expect(try country.geometry.validated() == country.geometry)
    }
  }

  @Test func `Cities are inside their countries`() throws {
    let countries = try Self.countries()
    let cities: [(Double, Double, String?)] = [
      (46.0569, 14.5058, "Slovenia"), (58.38, 26.72, "Estonia"),
      (48.8566, 2.3522, "France"), (-29.31, 27.48, "Lesotho"), (-25.75, 28.19, "South Africa"),
      (-17.75, 178.0, "Fiji"), (-16.3, 180, "Fiji"), (-16.3, -180, "Fiji"),
      (66.0, -175.0, "Russia"), (-90, 0, "Antarctica"), (0, -30, nil),
    ]
    let fences = countries.map { ($0.name, PreparedFence($0.geometry)) }
    for (latitude, longitude, country) in cities {
      let place = degrees(latitude, longitude)
      #expect(fences.filter { $0.1.contains(place) }.map(\.0) == (country.map { [$0] } ?? []))
    }
  }

  @Test func `Exported countries are imported unchanged`() throws {
    let countries = try Self.countries()
    let fences = countries.enumerated().map { index, country in
      ExportedFence(
        id: String(index), name: country.name ?? "", kind: "info", isActive: true,
        properties: country.properties, geometry: country.geometry)
    }
    let data = GeoJSON.featureCollection(of: fences, circlesAsPolygons: false)
    let again = try GeoJSON.fences(from: data)
    #expect(again.map(\.geometry) == countries.map(\.geometry))
    #expect(again.map(\.properties) == countries.map(\.properties))
  }
}

private let countryOutlines = sharedData("data/countries-110m.geojson")
