internal import Hummingbird
internal import MusterInterchange
internal import NIOCore

/// The base map that was configured when the node was started.
enum BaseMapRoutes {
  /// How long a browser may keep a tile, in seconds.
  private static let tileAge = 600

  static let routes: [Route] = [
    Route(
      .get, "/api/v1/map", "Get the base map's extent and attribution, if there is one",
      result: .json(.named("Map"))
    ) { api, _ in .ok(BaseMap.json(of: api.map)) },
    Route(
      .get, "/tiles/{z}/{x}/{y}", "Get a tile of the base map, counted from the north-west",
      result: .other(type: "image/*")
    ) { api, call in
      guard let map = api.map else {
        throw Problem(.notFound, "there is no base map: start with muster run --map FILE")
      }
      guard let zoom = call.whole("z"), let x = call.whole("x"), let y = call.whole("y") else {
        throw Problem(.notFound, "a tile is /tiles/zoom/column/row, in whole numbers")
      }
      let tile: BaseMap.Tile?
      do {
        tile = try await map.tile(zoom: zoom, x: x, y: y)
      } catch {
        throw Problem(.notFound, "the tile cannot be read: \(error)")
      }
      guard let tile else { throw Problem(.notFound, "the map has no such tile") }
      var answer = Answer(
        .ok, bytes: ByteBuffer(bytes: tile.bytes), type: tile.picture.mediaType)
      answer.headers[.cacheControl] = "max-age=\(tileAge)"
      return answer
    },
  ]
}

extension Call {
  /// Returns a part of the path as a number of at most ten digits.
  fileprivate func whole(_ name: String) -> Int? {
    guard let word = path[name], word.utf8.count <= 10,
      word.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(word)
  }
}

extension BaseMap {
  /// The JSON of a map; nulls and empty texts if there is none.
  fileprivate static func json(of map: BaseMap?) -> JSON {
    .object([
      "name": .string(map?.about.name ?? ""),
      "attribution": .string(map?.about.attribution ?? ""),
      "tiles": .known(map) { _ in .string("/tiles/{z}/{x}/{y}") },
      "format": .known(map?.about.format.rawValue, JSON.string),
      "minZoom": .known(map?.about.zooms.lowerBound, JSON.count),
      "maxZoom": .known(map?.about.zooms.upperBound, JSON.count),
      "bounds": .known(map?.about.bounds) { .array($0.map { .number("\($0)") }) },
    ])
  }
}
