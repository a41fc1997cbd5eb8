import MusterModel
import MusterReplica

/// Returns a position north and east of the middle of the valley.
func place(metresNorth: Int64, metresEast: Int64 = 0) -> Coordinate {
  // A metre is 90 e-7 degrees of latitude, and 134 of longitude at 48° north.
  guard
    let place = Coordinate(
      latitudeE7: 480_000_000 + metresNorth * 90, longitudeE7: 110_000_000 + metresEast * 134)
  else { preconditionFailure("\(metresNorth) m leaves the map") }
  return place
}

/// Returns a fix with a track's own time, which differs from all clocks of the valley.
func fix(metresNorth: Int64, second: Int64, accuracyMetres: UInt32? = 5) -> Fix {
  Fix(
    position: place(metresNorth: metresNorth), accuracyDecimetres: accuracyMetres.map { $0 * 10 },
    sampleTime: Timestamp(milliseconds: 1_600_000_000_000 + second * 1000))
}

func circle(metres: UInt32, metresNorth: Int64 = 0) -> FenceGeometry {
  .circle(center: place(metresNorth: metresNorth), radiusCentimetres: metres * 100)
}

/// Returns adjacent sawtooth outlines, each of 1,000 vertices.
func outline(rings: Int) -> FenceGeometry {
  .polygons(
    (0..<rings).map { ring in
      let east = Int64(ring) * 1000
      let upper = (0..<500).map { place(metresNorth: 500 + $0 % 2, metresEast: east + $0) }
      let lower = (0..<500).map { place(metresNorth: -500 - $0 % 2, metresEast: east + 499 - $0) }
      return FencePolygon(outer: Ring(upper + lower))
    })
}

extension Valley {
  /// Draws a zone of 100 m, by Ada, and lets all know it.
  @discardableResult
  mutating func draw(_ name: String, _ kind: FenceKind) throws -> RowID {
    let draft = FenceDraft(name: name, kind: kind, geometry: circle(metres: 100))
    let id = try at("Ada") { try $0.write(FenceRequests.add(draft), now: $1) }
    try converge()
    return id
  }
}
