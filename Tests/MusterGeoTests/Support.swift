import MusterGeo
import MusterModel
import MusterTestKit

/// A place from whole 1e-7 degrees.
func place(_ latitudeE7: Int64, _ longitudeE7: Int64) -> Coordinate {
  guard let place = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7) else {
    preconditionFailure("\(latitudeE7), \(longitudeE7) is no place")
  }
  return place
}

/// A place from degrees.
func degrees(_ latitude: Double, _ longitude: Double) -> Coordinate {
  guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
    preconditionFailure("\(latitude), \(longitude) is no place")
  }
  return place
}

/// A ring from (latitude, longitude) in degrees.
func ring(_ vertices: (Double, Double)...) -> Ring { Ring(vertices.map { degrees($0.0, $0.1) }) }

/// A square of the given half side in degrees.
func square(around center: (Double, Double), half: Double) -> Ring {
  let (y, x) = center
  return ring(
    (y - half, x - half), (y - half, x + half), (y + half, x + half), (y + half, x - half))
}

func fenceID(_ number: UInt64) -> RowID { RowID(raw: Bytes16(high: 0, low: number)) }
func version(_ number: UInt64) -> FenceVersion { FenceVersion(raw: Bytes16(high: 0, low: number)) }

extension SplitMix64 {
  mutating func place(within size: Int64, of center: Coordinate) -> Coordinate {
    MusterGeoTests.place(
      Int64(center.latitudeE7) + Int64.random(in: -size...size, using: &self),
      Int64(center.longitudeE7) + Int64.random(in: -size...size, using: &self))
  }

  /// A simple ring that goes once round a center, whose vertices lie on the border of squares of
  /// random sizes: star-shaped without any trigonometry. At least four vertices.
  mutating func star(around center: Coordinate, size: Int64, vertices: Int) -> Ring {
    let axes: [Int64] = [1000, 3000, 5000, 7000]
    let others = (axes.count..<vertices).map { _ in Int64.random(in: 0..<8000, using: &self) }
    let bearings = Set(axes + others).sorted()
    return Ring(
      bearings.map { bearing in
        let (side, along) = (bearing / 2000, bearing % 2000 - 1000)
        let (x, y): (Int64, Int64) =
          switch side {
          case 0: (1000, along)
          case 1: (-along, 1000)
          case 2: (-1000, -along)
          default: (along, -1000)
          }
        let scale = Int64.random(in: size / 2...size, using: &self)
        return MusterGeoTests.place(
          Int64(center.latitudeE7) + y * scale / 1000, Int64(center.longitudeE7) + x * scale / 1000)
      })
  }
}
