internal import Foundation
internal import Hummingbird
internal import NIOCore

/// The coarse map of the whole world, which the page shows where no map file covers: vector tiles
/// of land, lakes and borders in one file beside the folder of the page, by `Scripts/world.py`.
struct WorldMap: Sendable {
  static let file = "world.pmtiles"
  /// Tiles are at `/dashboard/world/ZOOM/COLUMN/ROW`.
  private static let path = "/dashboard/world/"
  /// How long a browser may keep a tile, in seconds: a day.
  private static let age = 86_400

  /// Nil if the file is not installed.
  private let map: BaseMap?

  /// - Parameter directory: the folder of the page.
  init(beside directory: URL) {
    do {
      map = try BaseMap(
        opening: directory.deletingLastPathComponent().appending(path: Self.file).path)
    } catch {
      map = nil
    }
  }

  /// Returns the tile of a path; 204 for one in the open sea, and nil for any other path.
  func answer(_ request: Request) async -> Answer? {
    guard request.uri.path.hasPrefix(Self.path) else { return nil }
    let place = request.uri.path.dropFirst(Self.path.count)
      .split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard let map, place.count == 3, let zoom = place[0], let x = place[1], let y = place[2],
      map.about.zooms.contains(zoom), [x, y].allSatisfy((0..<1 << zoom).contains)
    else { return Problem(.notFound, "the map of the world has no such tile").answer }
    do {
      let tile = try await map.tile(zoom: zoom, x: x, y: y)
      return try BaseMapRoutes.answer(with: tile, request.headers, age: Self.age)
    } catch {
      return Problem(.notFound, "the tile cannot be read: \(error)").answer
    }
  }
}
