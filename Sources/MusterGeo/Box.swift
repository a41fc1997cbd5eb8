internal import MusterModel

/// A bounding box in 1e-7 degrees, borders included. A cheap test before the exact one. It never
/// spans the antimeridian.
struct Box: Hashable, Sendable {
  var west: Int32
  var south: Int32
  var east: Int32
  var north: Int32

  /// A box without any point, which grows by union.
  static let empty = Box(west: .max, south: .max, east: .min, north: .min)

  func contains(_ point: Coordinate) -> Bool {
    contains(longitudeE7: point.longitudeE7, latitudeE7: point.latitudeE7)
  }

  @inline(__always)
  func contains(longitudeE7 x: Int32, latitudeE7 y: Int32) -> Bool {
    x >= west && x <= east && y >= south && y <= north
  }

  mutating func include(_ point: Coordinate) {
    join(
      Box(
        west: point.longitudeE7, south: point.latitudeE7, east: point.longitudeE7,
        north: point.latitudeE7))
  }

  mutating func join(_ other: Box) {
    west = min(west, other.west)
    south = min(south, other.south)
    east = max(east, other.east)
    north = max(north, other.north)
  }

  func overlaps(_ other: Box) -> Bool {
    west <= other.east && other.west <= east && south <= other.north && other.south <= north
  }
}

extension Coordinate {
  /// The same position with the opposite longitude of the antimeridian; nil for other positions.
  /// Each part of a fence that was split there has its seam on one side only.
  var acrossAntimeridian: Coordinate? {
    guard longitudeE7 == 1_800_000_000 || longitudeE7 == -1_800_000_000 else { return nil }
    return Coordinate(latitudeE7: Int64(latitudeE7), longitudeE7: -Int64(longitudeE7))
  }
}
