import MusterModel

/// The position of a subject over time, from a plan and a random stream.
struct Movement {
  private let plan: MovementPlan
  private let home: GroundPoint
  private var random: RandomStream
  private var leg: Leg

  /// A movement from one point to another, and then a pause.
  private struct Leg {
    var from: GroundPoint
    var to: GroundPoint
    var start: Instant
    var arrival: Instant
    var end: Instant
  }

  private static let longestRestMilliseconds: Int64 = 600_000
  /// The maximum receiver error to either side, in metres.
  private static let errorMetres = 3.0

  init(_ plan: MovementPlan, home: GroundPoint, random: RandomStream) {
    self.plan = plan
    self.home = home
    self.random = random
    let start = Instant(microseconds: 0)
    leg = Leg(from: home, to: home, start: start, arrival: start, end: start)
  }

  var canMove: Bool { plan != .still }

  /// `time` MUST NOT decrease, except within the current leg.
  mutating func place(at time: Instant) -> GroundPoint {
    switch plan {
    case .still: return home
    case .track(let waypoints): return Self.place(on: waypoints, at: time)
    case .walk(let across, let speed):
      while time >= leg.end { setOut(across: across, millimetresPerSecond: speed) }
      return Self.between(leg.from, leg.to, leg.start, leg.arrival, time)
    }
  }

  /// Returns whether it moves at a time that `place` was called with.
  func isMoving(at time: Instant) -> Bool {
    switch plan {
    case .still: false
    case .walk: time < leg.arrival
    case .track(let waypoints):
      waypoints.last.map { time.microseconds / 1000 < $0.atMilliseconds } ?? false
    }
  }

  private mutating func setOut(across: Int64, millimetresPerSecond: Int64) {
    let half = across * 500
    let to = GroundPoint(
      north: home.north + Double(random.within(-half...half)) / 1000,
      east: home.east + Double(random.within(-half...half)) / 1000)
    let start = leg.end
    let milliseconds = Int64(leg.to.distance(to: to) * 1_000_000 / Double(millimetresPerSecond))
    let arrival = start.advanced(byMilliseconds: max(1, milliseconds))
    leg = Leg(
      from: leg.to, to: to, start: start, arrival: arrival,
      end: arrival.advanced(
        byMilliseconds: random.within(0...Self.longestRestMilliseconds)))
  }

  private static func place(on waypoints: [Waypoint], at time: Instant) -> GroundPoint {
    let now = time.microseconds / 1000
    guard let next = waypoints.firstIndex(where: { $0.atMilliseconds > now }) else {
      return waypoints[waypoints.count - 1].point
    }
    guard next > 0 else { return waypoints[0].point }
    let (from, to) = (waypoints[next - 1], waypoints[next])
    return between(
      from.point, to.point, Instant(microseconds: from.atMilliseconds * 1000),
      Instant(microseconds: to.atMilliseconds * 1000), time)
  }

  private static func between(
    _ from: GroundPoint, _ to: GroundPoint, _ start: Instant, _ end: Instant, _ time: Instant
  ) -> GroundPoint {
    guard end > start, time < end else { return to }
    let part =
      Double(time.microseconds - start.microseconds)
      / Double(end.microseconds - start.microseconds)
    return GroundPoint(
      north: from.north + (to.north - from.north) * part,
      east: from.east + (to.east - from.east) * part)
  }

  /// Returns the fix of a satellite receiver there.
  mutating func fix(at time: Instant) -> Fix {
    let point = place(at: time)
    let error = Int64(Self.errorMetres * 1000)
    let seen = GroundPoint(
      north: point.north + Double(random.within(-error...error)) / 1000,
      east: point.east + Double(random.within(-error...error)) / 1000)
    return Fix(
      position: Terrain.coordinate(of: seen),
      accuracyDecimetres: UInt32(random.within(30...150)),
      sampleTime: NodeClock.satelliteTime(at: time))
  }
}

/// A flat area, and its position on the globe.
enum Terrain {
  private static let middleLatitudeE7: Int64 = 470_000_000
  private static let middleLongitudeE7: Int64 = 115_000_000
  /// A metre in 1e-7 degrees, at 47° north.
  private static let latitudePerMetre = 89.94
  private static let longitudePerMetre = 131.57

  static func coordinate(of point: GroundPoint) -> Coordinate {
    guard
      let coordinate = Coordinate(
        latitudeE7: middleLatitudeE7 + Int64((point.north * latitudePerMetre).rounded()),
        longitudeE7: middleLongitudeE7 + Int64((point.east * longitudePerMetre).rounded()))
    else { preconditionFailure("\(point) leaves the map") }
    return coordinate
  }

  static func point(of coordinate: Coordinate) -> GroundPoint {
    GroundPoint(
      north: Double(Int64(coordinate.latitudeE7) - middleLatitudeE7) / latitudePerMetre,
      east: Double(Int64(coordinate.longitudeE7) - middleLongitudeE7) / longitudePerMetre)
  }
}
