@testable import MusterLocation
import MusterModel
import Synchronization
import Testing

struct ReplayTests {
  private let start = Timestamp(milliseconds: 1_786_802_400_000)

  private func track(atMilliseconds times: [Int64]) throws -> GPXTrack {
    let position = try #require(Coordinate(latitude: 40.4, longitude: -7.54))
    return GPXTrack(
      points: times.map {
        GPXTrack.Point(position: position, time: Timestamp(milliseconds: start.milliseconds + $0))
      })
  }

  private func offsets(_ times: [Int64], speed: Double) throws -> [Int64] {
    let speed = try #require(ReplaySpeed(speed))
    return GPXReplay(try track(atMilliseconds: times), startingAt: start, speed: speed)
      .schedule.entries.map(\.offsetMilliseconds)
  }

  @Test(arguments: [
    (1.0, [0, 5000, 65_000]), (60.0, [0, 83, 1083]), (0.5, [0, 10_000, 130_000]),
    (1000.0, [0, 5, 65]), (1_000_000.0, [0, 0, 0]),
  ])
  func `fixes are due at the track's times divided by the speed`(
    speed: Double, expected: [Int64]
  ) throws {
    #expect(try offsets([0, 5000, 65_000], speed: speed) == expected)
  }

  @Test func `a fix out of order is due with the one before it and nothing waits for it`() throws {
    #expect(try offsets([0, 5000, 2000, -7000, 6000], speed: 1) == [0, 5000, 5000, 5000, 6000])
  }

  @Test func `times at the ends of the calendar overflow nothing`() throws {
    let schedule = ReplaySchedule(
      [Int64.min, 0, .max].map {
        Fix(
          position: Coordinate(latitude: 0, longitude: 0) ?? .init(latitudeE7: 0, longitudeE7: 0)!,
          sampleTime: Timestamp(milliseconds: $0))
      }, speed: .asRecorded)
    let offsets = schedule.entries.map(\.offsetMilliseconds)
    #expect(offsets[0] == 0 && offsets == offsets.sorted())
  }

  @Test(arguments: [0, -1, .nan, .infinity, 0.000_1, 1e9])
  func `a speed that makes no sense is none`(factor: Double) {
    #expect(ReplaySpeed(factor) == nil)
  }

  @Test func `an empty track has nothing due`() {
    let replay = GPXReplay(GPXTrack(points: []), startingAt: start, speed: .asRecorded)
    #expect(replay.schedule.entries.isEmpty)
  }

  @Test func `the runner delivers each fix when it is due, with the track's own time`() async throws
  {
    let clock = ManualClock()
    let speed = try #require(ReplaySpeed(10))
    let times: [Int64] = [0, 5000, 5000, 4000, 20_000]
    let replay = GPXReplay(try track(atMilliseconds: times), startingAt: start, speed: speed)
    let delivered = Mutex<[[Int64]]>([])
    try await replay.run(on: clock) { fix in
      let sampled = fix.sampleTime.milliseconds(since: start)
      delivered.withLock { $0.append([clock.elapsedMilliseconds, sampled]) }
    }
    #expect(
      delivered.withLock { $0 } == [
        [0, 0], [500, 5000], [500, 5000], [500, 4000], [2000, 20_000],
      ])
  }

  @Test func `a slow delivery shifts no later fix that is not yet due`() async throws {
    let clock = ManualClock()
    let replay = GPXReplay(
      try track(atMilliseconds: [0, 1000, 2000, 9000]), startingAt: start, speed: .asRecorded)
    let delivered = Mutex<[Int64]>([])
    try await replay.run(on: clock) { _ in
      delivered.withLock { $0.append(clock.elapsedMilliseconds) }
      clock.advance(byMilliseconds: 1500)
    }
    #expect(delivered.withLock { $0 } == [0, 1500, 3000, 9000])
  }

  @Test func `a refused delivery and a cancelled task end the replay`() async throws {
    struct Refusal: Error {}
    let replay = GPXReplay(
      try track(atMilliseconds: [0, 1000]), startingAt: start, speed: .asRecorded)
    await #expect(throws: Refusal.self) {
      try await replay.run(on: ManualClock()) { _ in throw Refusal() }
    }
    let delivered = Mutex(0)
    let task = Task {
      try await replay.run { _ in
        delivered.withLock { $0 += 1 }
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(delivered.withLock { $0 } == 1)
  }
}
