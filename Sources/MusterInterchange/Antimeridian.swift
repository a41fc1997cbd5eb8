public import MusterModel

/// Lines and outlines that cross 180 degrees of longitude. They take the short way from each
/// position to the next, and are cut there for other tools (RFC 7946 3.1.9).
public enum Antimeridian {
  /// West and east are the ends of an extent in 1e-7 degrees: west is greater where it crosses.
  public typealias Extent = (west: Int32, east: Int32)

  private static let turn: Int64 = 3_600_000_000

  /// A position with a longitude that continues beyond ±180 degrees, in 1e-7 degrees.
  typealias Point = (x: Int64, y: Int64)

  /// Returns the parts of a line on either side, in its order: itself if it does not cross.
  public static func parts(ofLine line: [Coordinate]) -> [[Coordinate]] {
    guard crosses(line) else { return [line] }
    var parts: [[Coordinate]] = [[]]
    var previous: Coordinate?
    for place in line {
      if let previous, let (end, start) = seam(from: previous, to: place) {
        if previous != end { parts[parts.count - 1].append(end) }
        parts.append(start == place ? [] : [start])
      }
      parts[parts.count - 1].append(place)
      previous = place
    }
    return parts.filter { $0.count > 1 }
  }

  /// Returns the parts of a polygon, the outline first, then its holes, all closed: itself if it
  /// does not cross, or encloses a pole.
  public static func parts(ofPolygon rings: [[Coordinate]]) -> [[[Coordinate]]] {
    guard let outer = rings.first, crosses(outer) else { return [rings] }
    let corners = unrolled(outer)
    guard let first = corners.first, let last = corners.last, first.x == last.x else {
      return [rings]
    }
    let center = (corners.map(\.x).min() ?? 0) / 2 + (corners.map(\.x).max() ?? 0) / 2
    let parts = [-turn, 0, turn].compactMap { shift -> [[Coordinate]]? in
      let clipped = rings.enumerated().compactMap { index, ring -> [Coordinate]? in
        var points = unrolled(ring)
        if index > 0 { points = moved(points, near: center) }
        return part(points.map { (x: $0.x + shift, y: $0.y) })
      }
      // The outline has a part wherever a hole has one.
      return clipped.isEmpty ? nil : clipped
    }
    return parts.isEmpty ? [rings] : parts
  }

  /// Returns the smallest extent of shapes, each of which takes the short way; nil without a
  /// position.
  public static func extent(of shapes: [[Coordinate]]) -> Extent? {
    let spans = shapes.compactMap { shape -> ClosedRange<Int64>? in
      let xs = unrolled(shape).map(\.x)
      guard let least = xs.min(), let most = xs.max() else { return nil }
      return most - least >= turn ? -turn / 2...turn / 2 : least...most
    }
    guard let gap = widestGap(between: spans) else { return nil }
    guard !gap.isEmpty else { return (Int32(-turn / 2), Int32(turn / 2)) }
    let (west, east) = (wrapped(gap.upperBound), wrapped(gap.lowerBound))
    // -180 is 180 too: an extent that ends there does not cross.
    return (Int32(west), Int32(east == -turn / 2 && west > east ? turn / 2 : east))
  }

  /// Returns from where to where no shape is, in longitudes that continue beyond ±180 degrees; an
  /// empty range if there is no gap, nil without shapes.
  private static func widestGap(between spans: [ClosedRange<Int64>]) -> Range<Int64>? {
    if spans.isEmpty { return nil }
    let sorted = spans.map { span in
      let start = wrapped(span.lowerBound)
      return start...(start + (span.upperBound - span.lowerBound))
    }.sorted { $0.lowerBound < $1.lowerBound }
    var widest = 0..<Int64(0)
    // How far those of the turn before reach.
    var reach = (sorted.map(\.upperBound).max() ?? 0) - turn
    for span in sorted {
      if span.lowerBound - reach > widest.upperBound - widest.lowerBound {
        widest = reach..<span.lowerBound
      }
      reach = max(reach, span.upperBound)
    }
    return widest
  }

  // MARK: Crossing

  private static func crosses(_ line: [Coordinate]) -> Bool {
    zip(line, line.dropFirst()).contains {
      crosses(from: Int64($0.longitudeE7), to: Int64($1.longitudeE7))
    }
  }

  /// Returns whether the short way crosses. From -180 to 180 there is none.
  private static func crosses(from start: Int64, to end: Int64) -> Bool {
    abs(end - start) > turn / 2 && abs(end - start) < turn
  }

  /// Returns the position at which an edge crosses, on the side of its start and on that of its
  /// end; nil if it does not.
  private static func seam(
    from start: Coordinate, to end: Coordinate
  ) -> (Coordinate, Coordinate)? {
    let (from, to) = (Int64(start.longitudeE7), Int64(end.longitudeE7))
    guard crosses(from: from, to: to) else { return nil }
    let side: Int64 = from > 0 ? turn / 2 : -turn / 2
    let width = (from > 0 ? to + turn : to - turn) - from
    let fraction = Double(side - from) / Double(width)
    let y = Int64(
      (Double(start.latitudeE7) + fraction * (Double(end.latitudeE7) - Double(start.latitudeE7)))
        .rounded())
    guard let near = Coordinate(latitudeE7: y, longitudeE7: side),
      let far = Coordinate(latitudeE7: y, longitudeE7: -side)
    else { return nil }
    return (near, far)
  }

  /// Returns the positions with longitudes that continue beyond ±180 degrees.
  private static func unrolled(_ line: [Coordinate]) -> [Point] {
    var shift: Int64 = 0
    var previous: Int64?
    return line.map { place in
      let x = Int64(place.longitudeE7)
      if let previous, crosses(from: previous, to: x) { shift += x < previous ? turn : -turn }
      previous = x
      return (x + shift, Int64(place.latitudeE7))
    }
  }

  /// Returns a ring on the turn of the Earth on which its outline is.
  private static func moved(_ points: [Point], near center: Int64) -> [Point] {
    guard let first = points.first else { return [] }
    let shift =
      first.x - center > turn / 2 ? -turn : center - first.x > turn / 2 ? turn : 0
    return points.map { ($0.x + shift, $0.y) }
  }

  private static func wrapped(_ x: Int64) -> Int64 {
    let rest = (x + turn / 2) % turn
    return (rest < 0 ? rest + turn : rest) - turn / 2
  }

  // MARK: Clipping

  /// Returns the part of a closed ring within ±180 degrees (Sutherland and Hodgman, 1974), closed;
  /// nil if there is none. A ring that crosses more than once has seams along 180 degrees.
  private static func part(_ ring: [Point]) -> [Coordinate]? {
    let vertices = clipped(ring.dropLast()).compactMap {
      Coordinate(latitudeE7: $0.y, longitudeE7: $0.x)
    }
    guard Set(vertices.map(\.longitudeE7)).count > 1, let first = vertices.first else { return nil }
    return vertices + [first]
  }

  /// Returns the part of an open ring of corners within ±180 degrees, maybe none.
  static func clipped(_ corners: some Collection<Point>) -> [Point] {
    let western = clipped(Array(corners), at: -turn / 2) { $0 >= -turn / 2 }
    return clipped(western, at: turn / 2) { $0 <= turn / 2 }
  }

  private static func clipped(
    _ corners: [Point], at limit: Int64, keeping isKept: (Int64) -> Bool
  ) -> [Point] {
    guard var previous = corners.last else { return [] }
    var result: [Point] = []
    for corner in corners {
      if isKept(corner.x) != isKept(previous.x) {
        let fraction = Double(limit - previous.x) / Double(corner.x - previous.x)
        let y = Double(previous.y) + fraction * Double(corner.y - previous.y)
        result.append((limit, Int64(y.rounded())))
      }
      if isKept(corner.x) { result.append(corner) }
      previous = corner
    }
    return result
  }
}
