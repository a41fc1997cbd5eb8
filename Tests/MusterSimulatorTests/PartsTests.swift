import Foundation
import MusterModel
import Testing

@testable import MusterSimulator

@Suite struct PartsTests {
  @Test(
    "the queue gives what is due in order, and of one moment what came first", arguments: 1...20)
  func queue(seed: UInt64) {
    var random = RandomStream(seed: seed, named: "queue")
    var queue = EventQueue<Int>()
    var expected: [(time: Int64, number: Int)] = []
    for number in 0..<200 {
      let time = random.below(20)
      queue.push(number, at: Instant(microseconds: time))
      expected.append((time, number))
    }
    expected.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    for next in expected {
      let popped = queue.pop()
      #expect(
        popped?.time.microseconds == next.time && popped?.event == next.number, "seed \(seed)")
    }
    #expect(queue.pop() == nil)
  }

  @Test("a deadline by a wrong clock is checked when it is due", arguments: [-50_000, 0, 50_000])
  func clocks(drift: Int64) {
    var clock = NodeClock(skewMilliseconds: 7_000_000, driftPerMillion: drift)
    clock.boot(
      at: Instant(microseconds: 0), offsetMicroseconds: 123_456_789, downMicroseconds: nil)
    for seconds in [1, 59, 3600, 86_400, 30 * 86_400] as [Int64] {
      let now = Instant(microseconds: seconds * 1_000_000 + 777)
      let deadline = clock.reading(at: now).instant.advanced(byMilliseconds: 10_000)
      let due = clock.time(of: deadline)
      #expect(clock.reading(at: due).instant >= deadline, "\(seconds) s")
      #expect(due.milliseconds(since: now) < 12_000, "\(seconds) s")
    }
    var last = clock.reading(at: Instant(microseconds: 0)).instant
    for step in 1..<5000 as Range<Int64> {
      let next = clock.reading(at: Instant(microseconds: step * 777)).instant
      #expect(next > last, "a monotonic clock ran backwards at step \(step)")
      last = next
    }
  }

  @Test func `a walker stays within the square and below the maximum speed`() {
    let home = GroundPoint(north: 100, east: -50)
    var movement = Movement(
      .walk(acrossMetres: 1000, millimetresPerSecond: 2000), home: home,
      random: RandomStream(seed: 3, named: "walk"))
    var last = home
    for second in 0..<20_000 as Range<Int64> {
      let place = movement.place(at: Instant(microseconds: second * 1_000_000))
      #expect(abs(place.north - home.north) <= 500 && abs(place.east - home.east) <= 500)
      #expect(place.distance(to: last) <= 2.01)
      last = place
    }
  }

  @Test func `a track begins at its owner's position and ends at its last point`() throws {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "track-\(ProcessInfo.processInfo.globallyUniqueString).gpx")
    try """
    <gpx><trk><trkseg>
    <trkpt lat="10.0" lon="20.0"><time>2026-01-01T00:00:00Z</time></trkpt>
    <trkpt lat="10.001" lon="20.0"><time>2026-01-01T00:01:40Z</time></trkpt>
    </trkseg></trk></gpx>
    """.write(to: file, atomically: true, encoding: .utf8)
    let waypoints = try TrackFile.read(file, from: GroundPoint(north: 5, east: 7))
    try FileManager.default.removeItem(at: file)
    #expect(waypoints.first?.point == GroundPoint(north: 5, east: 7))
    #expect(waypoints.last?.atMilliseconds == 100_000)
    var movement = Movement(
      .track(waypoints), home: GroundPoint(north: 5, east: 7),
      random: RandomStream(seed: 1, named: "track"))
    let half = movement.place(at: Instant(microseconds: 50_000_000))
    #expect(abs(half.north - 60.6) < 1 && abs(half.east - 7) < 0.01)
    #expect(!movement.isMoving(at: Instant(microseconds: 100_000_001)))
  }

  @Test func `the plane's geometry distinguishes inside from outside`() {
    let square = FenceGeometry.polygons([
      FencePolygon(
        outer: Ring(
          [(0.0, 0.0), (0, 100), (100, 100), (100, 0)].map {
            Terrain.coordinate(of: GroundPoint(north: $0.0, east: $0.1))
          }))
    ])
    for (point, distance) in [
      (GroundPoint(north: 50, east: 50), 50.0), (GroundPoint(north: 50, east: 150), -50),
      (GroundPoint(north: 10, east: 50), 10), (GroundPoint(north: -30, east: -40), -50),
    ] {
      let seen = PlaneGeometry.signedDistance(from: point, to: square)
      #expect(abs(seen - distance) < 0.1, "\(point)")
    }
  }
}
