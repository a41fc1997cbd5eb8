internal import MusterModel

/// A straight edge, and exact answers about it in 64-bit integers (see `Edge`).
struct Segment: Sendable {
  let start: Coordinate
  let end: Coordinate

  var box: Box {
    var box = Box.empty
    box.include(start)
    box.include(end)
    return box
  }

  /// Returns how two segments meet. `overlap` means along a stretch, `touch` at an end of one of
  /// them.
  func meeting(with other: Segment) -> GeometryFault.Meeting? {
    let (d1, d2) = (other.side(of: start), other.side(of: end))
    let (d3, d4) = (side(of: other.start), side(of: other.end))
    if d1 == 0, d2 == 0 { return meetingOnLine(with: other) }
    if d1 * d2 < 0, d3 * d4 < 0 { return .cross }
    let touches =
      d1 == 0 && other.box.contains(start) || d2 == 0 && other.box.contains(end)
      || d3 == 0 && box.contains(other.start) || d4 == 0 && box.contains(other.end)
    return touches ? .touch : nil
  }

  /// Whether a point is on the segment.
  func holds(_ point: Coordinate) -> Bool { side(of: point) == 0 && box.contains(point) }

  /// Whether a point is on the line through the segment.
  func isInLine(with point: Coordinate) -> Bool { side(of: point) == 0 }

  /// 1 when the point is left of the line, -1 when right of it, 0 on it.
  private func side(of point: Coordinate) -> Int {
    let (x, y) = (Int64(start.longitudeE7), Int64(start.latitudeE7))
    let left = (Int64(end.longitudeE7) - x) * (Int64(point.latitudeE7) - y)
    let right = (Int64(end.latitudeE7) - y) * (Int64(point.longitudeE7) - x)
    return left == right ? 0 : left > right ? 1 : -1
  }

  /// Compares two segments on one line by their projections on an axis.
  private func meetingOnLine(with other: Segment) -> GeometryFault.Meeting? {
    let (mine, theirs) = (box, other.box)
    guard mine.overlaps(theirs) else { return nil }
    let isLong =
      min(mine.east, theirs.east) > max(mine.west, theirs.west)
      || min(mine.north, theirs.north) > max(mine.south, theirs.south)
    return isLong ? .overlap : .touch
  }
}
