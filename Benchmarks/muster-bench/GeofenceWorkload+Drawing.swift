import Foundation
import MusterGeo
import MusterModel

extension GeofenceWorkload {
  /// Fences of 4 to 200 vertices, one in a cell of a square, one in twenty so large that it
  /// overlaps its neighbours; devices that wander at up to 20 m/s, a position every ten seconds.
  ///
  /// - Parameter ground: metres of the square's side.
  init(
    fences fenceCount: Int, devices: Int, positions: Int, ground: Double = 200_000, seed: UInt64
  ) {
    var random = SplitMix(seed)
    let side = Int(Double(fenceCount).squareRoot().rounded(.up))
    let cell = ground / Double(side)
    fences = (0..<side * side).shuffled(using: &random).prefix(fenceCount).map { place in
      let isLarge = Double.random(in: 0..<1, using: &random) < 0.05
      let reach = Double.random(in: isLarge ? 0.8..<1.1 : 0.15..<0.45, using: &random) * cell
      let center = (
        x: (Double(place % side) + 0.5) * cell, y: (Double(place / side) + 0.5) * cell
      )
      return Self.star(around: center, reach: reach, random: &random)
    }
    self.devices = devices
    var walkers = (0..<devices).map { _ in Walker(on: ground, random: &random) }
    var samples: [Sample] = []
    samples.reserveCapacity(positions)
    for step in 0..<(positions / max(devices, 1)) {
      let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(step) * 10_000)
      for device in walkers.indices {
        let place = Self.place(x: walkers[device].x, y: walkers[device].y)
        samples.append(Sample(device: device, fix: Fix(position: place, sampleTime: time)))
        walkers[device].goOn(random: &random)
      }
    }
    self.samples = samples
  }

  private static let metresPerLatitude = 111_320.0

  /// The angles grow from vertex to vertex, so the ring does not meet itself.
  private static func star(
    around center: (x: Double, y: Double), reach: Double, random: inout SplitMix
  ) -> FenceGeometry {
    let count = Int(exp(Double.random(in: log(4.0)..<log(200.999), using: &random)))
    let vertices = (0..<count).map { index in
      let turn = Double(index) + Double.random(in: -0.35..<0.35, using: &random)
      let angle = turn * 2 * .pi / Double(count)
      let radius = reach * Double.random(in: 0.55..<1, using: &random)
      return place(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
    }
    return .polygons([FencePolygon(outer: Ring(vertices))])
  }

  private static func place(x: Double, y: Double) -> Coordinate {
    let metresPerLongitude = metresPerLatitude * cos(59.9 * .pi / 180)
    guard
      let place = Coordinate(
        latitude: 59 + y / metresPerLatitude, longitude: 24 + x / metresPerLongitude)
    else { preconditionFailure("(\(x), \(y)) is beyond the Earth") }
    return place
  }

  /// Goes on in about the direction and at about the speed that it has, and turns at the border.
  private struct Walker {
    private(set) var x: Double
    private(set) var y: Double
    private let ground: Double
    private var heading: Double
    private var speed: Double

    init(on ground: Double, random: inout SplitMix) {
      self.ground = ground
      x = Double.random(in: 0..<ground, using: &random)
      y = Double.random(in: 0..<ground, using: &random)
      heading = Double.random(in: 0..<2 * .pi, using: &random)
      speed = Double.random(in: 1..<20, using: &random)
    }

    mutating func goOn(random: inout SplitMix) {
      heading += Double.random(in: -0.6...0.6, using: &random)
      speed = min(max(speed + Double.random(in: -1.4...1.4, using: &random), 1), 20)
      x = reflected(x + speed * 10 * cos(heading))
      y = reflected(y + speed * 10 * sin(heading))
    }

    private func reflected(_ metres: Double) -> Double {
      min(abs(metres), 2 * ground - metres)
    }
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers on every machine.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
