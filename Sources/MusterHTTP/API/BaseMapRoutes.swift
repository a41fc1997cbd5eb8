internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import NIOCore

/// Base maps and overlays: those of `muster run --map`, and those that were added to the home.
enum BaseMapRoutes {
  /// How long a browser may keep a tile, in seconds.
  private static let tileAge = 600

  static let routes: [Route] = [
    Route(
      .get, "/api/v1/map", "Get the first base map's extent and attribution, if there is one",
      rights: .read,
      result: .json(.named("Map"))
    ) { api, _ in .ok(BaseMap.json(of: await api.maps.first())) },
    Route(
      .get, "/api/v1/maps", "List base maps and overlays", rights: .read,
      result: .json(.open([.must("items", .list(.named("MapFile"), most: most))]))
    ) { api, _ in .ok(.object(["items": .array(await api.maps.items().map(\.json))])) },
    Route(
      .post, one, "Add a map, on the node's own machine: the body is the file",
      rights: .laptop(.transfer, elsewhere, bytes: .max),
      parameters: [
        Route.Parameter(
          name: "strict", shape: .flag, isRequired: false,
          about: "Whether an overlay is refused if a part of it cannot be used.")
      ],
      takesFile: true, result: .added(.named("MapFile"))
    ) { api, call in try await add(api, call) },
    Route(
      .delete, one, "Remove a map that was added, on the node's own machine",
      rights: .laptop(.write, elsewhere), result: .done
    ) { api, call in
      try remove(api, call)
      return Answer(.noContent)
    },
    Route(
      // A large file is parsed for seconds, for which no other read waits.
      .get, one + "/features", "Get the shapes of an overlay as GeoJSON", rights: .download,
      result: .other(type: "application/geo+json")
    ) { api, call in
      do {
        guard let overlay = try await api.maps.overlay(named: call.mapName) else {
          throw Problem(.notFound, "there is no overlay of this name")
        }
        return Answer(.ok, bytes: overlay, type: "application/geo+json")
      } catch let fault as BaseMap.Fault {
        throw Problem(.notFound, "the overlay cannot be read: \(fault)")
      }
    },
    Route(
      .get, one + "/style", "Get a style of a vector map for MapLibre", rights: .read,
      parameters: [
        Route.Parameter(
          name: "theme", shape: .choice(MapStyle.Theme.allCases.map(\.rawValue)),
          isRequired: false, about: "The colours, for day (the default) or night.")
      ], result: .json(.open([.must("version", .count)]))
    ) { api, call in
      guard let map = await api.maps.map(named: call.mapName), map.about.format == .pbf else {
        throw Problem(.notFound, "there is no vector map of this name")
      }
      let theme = call.query["theme"]?.word.flatMap(MapStyle.Theme.init) ?? .light
      let style = MapStyle.text(
        of: map.about, theme, tiles: "\(call.origin)/tiles/\(call.encodedMapName)/{z}/{x}/{y}",
        glyphs: "\(call.origin)/glyphs/{fontstack}/{range}.pbf")
      return Answer(.ok, text: style, type: "application/json")
    },
    Route(
      .get, "/tiles/{z}/{x}/{y}", "Get a tile of the first base map, counted from the north-west",
      rights: .download,
      result: .other(type: "image/*")
    ) { api, call in
      guard let map = await api.maps.first() else {
        throw Problem(.notFound, "there is no base map: add one with `muster map add FILE`")
      }
      return try await tile(of: map, call)
    },
    Route(
      .get, "/tiles/{name}/{z}/{x}/{y}",
      "Get a tile of a base map, an image or a vector tile, counted from the north-west",
      rights: .download,
      result: .other(type: "image/*")
    ) { api, call in
      guard let map = await api.maps.map(named: call.mapName) else {
        throw Problem(.notFound, "there is no base map of this name: see muster map list")
      }
      return try await tile(of: map, call)
    },
  ]

  private static let one = "/api/v1/maps/{name}"
  /// Only the user of this machine decides what is on its disk.
  private static let elsewhere = "maps are added and removed on the laptop that serves this page"
  /// Those of both folders, and those of the command line.
  private static let most = 3 * MapFolder.mostFiles

  // MARK: Tiles

  private static func tile(of map: BaseMap, _ call: Call) async throws -> Answer {
    guard let zoom = call.whole("z"), let x = call.whole("x"), let y = call.whole("y") else {
      throw Problem(.notFound, "a tile is /tiles/zoom/column/row, in whole numbers")
    }
    let tile: BaseMap.Tile?
    do {
      tile = try await map.tile(zoom: zoom, x: x, y: y)
    } catch {
      throw Problem(.notFound, "the tile cannot be read: \(error)")
    }
    // An area without data is usual in vector maps, and no error of the renderer.
    guard tile != nil || map.about.format == .pbf else {
      throw Problem(.notFound, "the map has no such tile")
    }
    return try answer(with: tile, call.headers, age: tileAge)
  }

  /// Returns a tile for a client with these headers; no content without one.
  ///
  /// - Parameter age: how long a browser may keep it, in seconds.
  static func answer(
    with tile: BaseMap.Tile?, _ headers: HTTPFields, age: Int
  ) throws -> Answer {
    var answer = Answer(.noContent)
    if let tile {
      let takesGzip = headers[.acceptEncoding]?.lowercased().contains("gzip") == true
      let bytes = takesGzip ? tile.bytes : try tile.inflated
      answer = Answer(.ok, bytes: ByteBuffer(bytes: bytes), type: tile.format.mediaType)
      if tile.isGzipped {
        if takesGzip { answer.headers[.contentEncoding] = "gzip" }
        answer.headers[.vary] = "Accept-Encoding"
      }
    }
    answer.headers[.cacheControl] = "max-age=\(age)"
    return answer
  }

  // MARK: Changes

  private static func folder(_ api: API) throws(Problem) -> MapFolder {
    guard let folder = api.maps.folder else {
      throw Problem(.notImplemented, "this node has no folder for maps")
    }
    return folder
  }

  private static func add(_ api: API, _ call: Call) async throws -> Answer {
    let folder = try folder(api)
    guard let upload = call.upload else { throw Problem.unexpected }
    call.connection.keepOpenForTransfer()
    let length = call.headers[.contentLength].flatMap { Int64($0) }
    let name: String
    do throws(BaseMap.Fault) {
      var incoming = try folder.begin(call.mapName, bytes: length)
      name = incoming.name
      do throws(BaseMap.Fault) {
        let isStrict = call.query["strict"] == .bool(true)
        api.maps.keep(try await receive(upload, into: &incoming, isStrict: isStrict), of: name)
      } catch {
        incoming.discard()
        throw error
      }
    } catch {
      throw Problem(.unprocessableContent, error.description)
    }
    guard let item = await api.maps.items().first(where: { $0.name == name }) else {
      throw Problem.unexpected
    }
    var answer = Answer(.created, item.json)
    answer.headers[.location] = "/api/v1/maps/\(name)"
    return answer
  }

  private static func receive(
    _ upload: RequestBody, into incoming: inout IncomingMap, isStrict: Bool
  ) async throws(BaseMap.Fault) -> MapContent {
    do {
      for try await piece in upload { try incoming.append(Data(piece.readableBytesView)) }
      // A helper may take long.
      return try await ReadExecutor.perform { [incoming] in
        try incoming.finish(isStrict: isStrict)
      }
    } catch let fault as BaseMap.Fault {
      throw fault
    } catch {
      throw BaseMap.Fault("the transfer broke off: add the file again")
    }
  }

  private static func remove(_ api: API, _ call: Call) throws(Problem) {
    let folder = try folder(api)
    do throws(BaseMap.Fault) {
      try folder.remove(call.mapName)
    } catch {
      throw Problem(.notFound, error.description)
    }
  }
}

extension Call {
  fileprivate var mapName: String { path["name"] ?? "" }

  fileprivate var encodedMapName: String {
    mapName.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? mapName
  }

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
